// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import QtTest
import Cocoonbox.App
import Cocoonbox.Shell
import Cocoonbox.Testing
import Cocoonbox.Theme

Item {
    id: root

    width: 1300
    height: 800

    TestApp { id: fake }
    Loader {
        id: page

        width: root.width
        height: root.height
        focus: true
        active: fake.model && fake.model.stage === AppModel.SignedIn
        sourceComponent: Workspace { app: fake.model }
    }

    TestCase {
        name: "Workspace"
        when: windowShown

        function part(name) {
            return findChild(page.item, name)
        }
        function show(scene) {
            fake.scene = scene
            tryVerify(() => page.item !== null)
            waitForRendering(page)
        }
        function init() {
            page.width = root.width
        }

        function test_allPanesStandSideBySideWhenThereIsRoom() {
            show("done")
            tryVerify(() => part("liveView") && part("liveView").visible)
            verify(part("composer").visible)
            verify(part("boxCard-main").visible)
            verify(!part("paneTabs").visible)
        }
        function test_narrowWindowsHaveTabs() {
            show("done")
            page.width = 600
            tryVerify(() => part("paneTabs").visible)
            tryVerify(() => part("liveView").visible && !part("composer").visible)
            mouseClick(findChild(part("paneTabs"), "tab2"))
            tryVerify(() => part("composer").visible && !part("liveView").visible)
            mouseClick(findChild(part("paneTabs"), "tab0"))
            tryVerify(() => part("boxCard-main").visible && !part("composer").visible)
        }
        function test_enterSendsAndShiftEnterDoesNot() {
            show("done")
            const composer = part("composer")
            tryVerify(() => composer.enabled)
            composer.forceActiveFocus()
            keyClick("a")
            keyClick(Qt.Key_Return, Qt.ShiftModifier)
            keyClick("b")
            compare(fake.prompts().length, 0)
            keyClick(Qt.Key_Return)
            tryCompare(composer, "text", "")
            compare(fake.prompts(), ["a\nb"])
        }
        function test_aPromptThatCouldNotBeSentStays() {
            show("done")
            const composer = part("composer")
            tryVerify(() => composer.enabled)
            composer.forceActiveFocus()
            composer.text = "important"
            fake.failNext("The box does not answer.")
            keyClick(Qt.Key_Return)
            tryVerify(() => part("conversationError").visible)
            compare(part("conversationError").text, "The box does not answer.")
            compare(composer.text, "important")
        }
        function test_aRunningTurnCanBeStopped() {
            show("watching")
            tryVerify(() => part("stopButton").visible)
            verify(!part("sendButton").visible)
            mouseClick(part("stopButton"))
            tryVerify(() => fake.cancelled().length === 1)
        }
        function test_aSleepingBoxSaysSoAndWakes() {
            show("asleep")
            verify(!part("composer").enabled)
            verify(part("blockedReason").text.length > 0)
            verify(part("screenEmpty").visible)
            mouseClick(part("screenEmptyAction"))
            tryVerify(() => fake.ensured().length === 1)
            compare(fake.ensured(), ["main"])
        }
        function test_aRunningBoxCanSleep() {
            show("done")
            mouseClick(part("sleepButton"))
            tryVerify(() => fake.hibernated().length === 1)
        }
        function openBoxMenu() {
            part("boxMenuButton").forceActiveFocus(Qt.TabFocusReason)
            keyClick(Qt.Key_Return)
            const menu = findChild(part("boxMenuButton"), "boxMenu")
            tryVerify(() => menu.opened)
            return menu
        }
        function chooseByKeyboard(menu, name) {
            for (let i = 0; i < menu.count; ++i) {
                keyClick(Qt.Key_Down)
                if (menu.currentIndex >= 0 && menu.itemAt(menu.currentIndex).objectName === name)
                    return keyClick(Qt.Key_Return)
            }
            fail(name + " is not reached")
        }
        function test_aBoxIsDeletedByKeyboardAfterAQuestion() {
            show("done")
            chooseByKeyboard(openBoxMenu(), "boxMenuDelete")
            const question = findChild(part("boxMenuButton"), "confirmDialog")
            tryVerify(() => question.opened)
            verify(question.sentence.indexOf("/workspace") > 0)
            keyClick(Qt.Key_Return) // the first focus is the way back
            tryVerify(() => !question.visible)
            compare(fake.deleted().length, 0)

            chooseByKeyboard(openBoxMenu(), "boxMenuDelete")
            tryVerify(() => question.opened)
            keyClick(Qt.Key_Tab)
            keyClick(Qt.Key_Return)
            tryVerify(() => fake.deleted().length === 1)
        }
        function test_aBoxThatCannotBeDeletedSaysWhyOnItsCard() {
            show("done")
            fake.failNext("podman does not answer.")
            fake.model.currentBox.remove()
            tryVerify(() => part("boxFailure") && part("boxFailure").text === "podman does not answer.")
        }
        function test_aFailedBoxSaysWhatToDo() {
            show("failed")
            verify(part("boxFailure").text.indexOf("start it again") > 0)
            verify(part("wakeButton").visible)
        }
        function test_takeOverAndHandBack() {
            show("done")
            const take = part("takeOverButton")
            tryVerify(() => take.visible && take.enabled)
            mouseClick(take)
            tryVerify(() => part("handBackButton").visible)
            verify(part("liveView").activeFocus)
            mouseClick(part("handBackButton"))
            tryVerify(() => take.visible)
        }
        function test_ctrlEnterTakesOver() {
            show("done")
            tryVerify(() => part("takeOverButton").visible && part("takeOverButton").enabled)
            keyClick(Qt.Key_Return, Qt.ControlModifier)
            tryVerify(() => part("handBackButton").visible)
        }
        function test_aScreenHeldByAnotherIsSaid() {
            show("theirs")
            tryCompare(part("controlText"), "text", "Jonas is in control")
            compare(part("takeOverButton").text, "Take from Jonas")
        }
        function test_theAgentInControlIsNamed() {
            show("watching")
            tryCompare(part("controlText"), "text", "Agent in control: Fix the cut names in address-tool")
            compare(part("takeOverButton").text, "Take over")
        }
        function test_controlWithoutTheKeyboardIsSaid() {
            show("done")
            tryVerify(() => part("takeOverButton").visible && part("takeOverButton").enabled)
            mouseClick(part("takeOverButton"))
            tryCompare(part("controlText"), "text", "You are in control")
            part("handBackButton").forceActiveFocus()
            tryCompare(part("controlText"), "text", "You are in control. Click the picture to type.")
            mouseClick(part("liveView"))
            tryCompare(part("controlText"), "text", "You are in control")
            mouseClick(part("handBackButton"))
        }
        function test_keysZoomThePictureWhileWatching() {
            show("done")
            const view = part("liveView")
            tryVerify(() => view.visible && view.visiblePart.width > 0)
            keyClick(Qt.Key_1, Qt.ControlModifier)
            compare(view.zoom, 100)
            keyClick(Qt.Key_Plus, Qt.ControlModifier)
            compare(view.zoom, 125)
            keyClick(Qt.Key_Minus, Qt.ControlModifier)
            compare(view.zoom, 100)
            tryVerify(() => part("liveScrollBottom").visible)
            part("zoomTabs").chosen(0)
            compare(view.zoom, 0)
            keyClick(Qt.Key_1, Qt.ControlModifier)
            keyClick(Qt.Key_0, Qt.ControlModifier)
            compare(view.zoom, 0)
            verify(!part("liveScrollBottom").visible)
        }
        function openLiveMenu() {
            mouseClick(part("liveMenuButton"))
            const menu = findChild(page.item, "liveMenu")
            tryVerify(() => menu.opened)
            return menu
        }
        function test_theMenuOfTheScreenDoesWhatItSays() {
            show("done")
            tryVerify(() => part("liveMenuButton").visible)
            chooseByKeyboard(openLiveMenu(), "liveMenuFullSize")
            tryCompare(part("liveView"), "zoom", 100)
            chooseByKeyboard(openLiveMenu(), "liveMenuFit")
            tryCompare(part("liveView"), "zoom", 0)
            verify(fake.model.sharesClipboard)
            chooseByKeyboard(openLiveMenu(), "liveMenuClipboard")
            tryVerify(() => !fake.model.sharesClipboard)
            chooseByKeyboard(openLiveMenu(), "liveMenuClipboard")
            tryVerify(() => fake.model.sharesClipboard)
        }
        function test_theMenusWordsAreNotCut() {
            show("mine")
            tryVerify(() => part("handBackButton").visible)
            const menu = openLiveMenu()
            for (let i = 0; i < menu.count; ++i)
                verify(menu.itemAt(i).width >= menu.itemAt(i).implicitWidth, menu.itemAt(i).text)
            keyClick(Qt.Key_Escape)
            tryVerify(() => !menu.visible)
        }
        function test_statisticsAreShownAndHiddenByKey() {
            show("done")
            tryVerify(() => part("liveView").visible)
            verify(!part("statistics").visible)
            keyClick(Qt.Key_S, Qt.ControlModifier | Qt.ShiftModifier)
            verify(part("statistics").visible)
            tryVerify(() => findChild(part("statistics"), "statisticsValues").children.length > 5, 3000)
            keyClick(Qt.Key_S, Qt.ControlModifier | Qt.ShiftModifier)
            verify(!part("statistics").visible)
        }
        function test_aDroppedFileGoesIntoTheBox() {
            show("done")
            tryVerify(() => part("liveView").visible)
            verify(!part("transferStrip").visible)
            fake.dragOver(part("liveView"))
            tryVerify(() => part("dropHint").visible)
            fake.drop(part("liveView"))
            tryVerify(() => part("transferStrip").visible && !part("dropHint").visible)
            tryVerify(() => {
                const row = findChild(part("transferStrip"), "transfer0")
                return row && findChild(row, "transferWords").text.indexOf("/workspace/Uploads/") > 0
            })
            mouseClick(findChild(findChild(part("transferStrip"), "transfer0"), "transferAway"))
            tryVerify(() => !part("transferStrip").visible)
        }
        function test_theBoxesFilesAreBrowsedByKeyboard() {
            show("transfers")
            tryVerify(() => part("liveMenuButton").visible)
            chooseByKeyboard(openLiveMenu(), "liveMenuFiles")
            tryVerify(() => findChild(page.item, "filesPanel") && findChild(page.item, "filesPanel").opened)
            const panel = findChild(page.item, "filesPanel")
            const list = findChild(panel.contentItem, "filesList")
            tryCompare(fake.model.currentBox.files, "path", "/workspace")
            tryVerify(() => list.count === 3)
            verify(!findChild(panel.contentItem, "filesSave").enabled) // a folder is not saved
            keyClick(Qt.Key_Down)
            keyClick(Qt.Key_Return)
            tryCompare(fake.model.currentBox.files, "path", "/workspace/address-tool")
            tryCompare(list, "currentIndex", 0)
            keyClick(Qt.Key_Backspace)
            tryCompare(fake.model.currentBox.files, "path", "/workspace")
            tryVerify(() => list.count === 3)
            list.currentIndex = 2
            tryVerify(() => findChild(panel.contentItem, "filesSave").enabled)
            keyClick(Qt.Key_Escape)
            tryVerify(() => !findChild(page.item, "filesPanel"))
        }
        function test_aRefusedTextIsSaidAndCanBeDismissed() {
            show("text-refused")
            tryCompare(part("controlText"), "text", "You are in control")
            verify(!part("controlBanner").visible)
            fake.model.currentBox.screen.sendText("x")
            tryVerify(() => part("controlBanner").visible)
            part("controlBanner").acted()
            tryVerify(() => !part("controlBanner").visible)
        }
        function test_theLastPictureStandsDimmedWhileItIsReachedAgain() {
            show("done")
            const view = part("liveView")
            tryVerify(() => view.visible && !part("lostScrim").visible)
            fake.sayLink("The box does not answer.")
            tryVerify(() => part("lostScrim").visible)
            verify(view.visible)
            compare(part("lostText").text, "Reconnecting to the screen")
            fake.sayLink("")
            tryVerify(() => !part("lostScrim").visible)
        }
        function test_ctrlNStartsANewAgentInTheComposer() {
            show("done")
            tryVerify(() => fake.model.currentBox.conversation.agentId.length > 0)
            keyClick(Qt.Key_N, Qt.ControlModifier)
            compare(fake.model.currentBox.conversation.agentId, "")
            verify(part("composer").activeFocus)
            verify(part("chatEmpty").visible)
        }
        function test_panesAreReachedByKeyboard() {
            show("done")
            tryVerify(() => part("agentList"))
            keyClick(Qt.Key_1, Qt.AltModifier)
            verify(part("agentList").activeFocus)
            keyClick(Qt.Key_3, Qt.AltModifier)
            verify(part("composer").activeFocus)
        }
        function test_toolCallsUnfold() {
            show("done")
            const list = part("transcript")
            tryVerify(() => list.count > 4)
            const folded = fake.model.currentBox.conversation.transcript
            list.positionViewAtBeginning()
            waitForRendering(list)
            const head = findChild(list, "toolHead")
            verify(head)
            mouseClick(head)
            tryVerify(() => head.parent.unfolded)
            mouseClick(head)
            tryVerify(() => !head.parent.unfolded)
        }
        function test_transcriptFollowsUntilTheReaderScrollsUp() {
            show("watching")
            const list = part("transcript")
            tryVerify(() => list.count > 4)
            tryVerify(() => list.atYEnd)
            fake.sayReply("line\n\n".repeat(40))
            tryVerify(() => list.atYEnd)
            list.forceActiveFocus()
            keyClick(Qt.Key_Home)
            tryVerify(() => !list.atYEnd)
            const before = list.contentY
            fake.sayReply("more\n\n".repeat(40))
            waitForRendering(list)
            compare(list.contentY, before)
            verify(findChild(list, "toEndButton").visible)
            mouseClick(findChild(list, "toEndButton"))
            tryVerify(() => list.atYEnd)
        }
        function test_errorsAreSeen() {
            show("error")
            tryVerify(() => {
                const text = findChild(part("transcript"), "errorText")
                return text && text.visible && text.text.indexOf("Nothing was lost") > 0
            })
        }
        function test_connectionTroubleIsSaid() {
            show("done")
            fake.sayConnection("The api does not answer.")
            tryVerify(() => part("connectionBanner").visible)
            fake.sayConnection("")
            tryVerify(() => !part("connectionBanner").visible)
        }
        function test_withoutABoxOneCanBeCreated() {
            show("nobox")
            verify(part("noBox").visible)
            mouseClick(part("noBoxAction"))
            tryVerify(() => fake.ensured().length === 1)
        }
        function test_coloursFollowTheButton() {
            show("done")
            const button = part("appearanceButton")
            mouseClick(button)
            compare(fake.model.preferences.appearance, Theme.isDark ? Theme.Light : Theme.Dark)
        }
    }
}
