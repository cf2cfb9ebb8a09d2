"""x"""
from __future__ import annotations
import json, time
import pytest
from tests.fakes.processes import within
from tests.vscode import bakery_agent
from tests.vscode.conftest import Launch
from tests.vscode.extension import Extension, extended
from tests.vscode.start import Wanted

def test_story(launch: Launch) -> None:
    """x"""
    wb = launch(extended(Wanted(prepare=bakery_agent.furnish)))
    ext = Extension(wb)
    t=time.time()
    bakery_agent.hold(wb)
    print("held", time.time()-t, len(wb.model.turns))
    within(20, lambda: ext.percent is not None)
    print(ext.percent, wb.chat.ring, ext.spoken)
    within(15, lambda: ext.percent is not None and wb.chat.ring is not None and abs(ext.percent- wb.chat.ring)<=1)
    import shutil
    shutil.copytree(wb.places.user/"workspaceStorage", "/tmp/e1/ws", dirs_exist_ok=True)
    shutil.copytree(wb.places.model, "/tmp/e1/model", dirs_exist_ok=True)
    ext.meter.hover(); wb.page.wait_for_timeout(1500); wb.shot("meter-tooltip")
    t=time.time(); ext.compact(); print("compact", time.time()-t)
    wb.shot("page")
    open("/tmp/e1/page.md","w").write(ext.text)
    open("/tmp/e1/body.md","w").write(ext.body)
    wb.shot("page2")
