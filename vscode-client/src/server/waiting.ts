/** Notices that a program is there which was missing: one that became active, or that another window has set up. */

import * as vscode from "vscode";
import { onActivePython } from "./active";
import type { Program } from "./program";

type Find = () => Promise<Program | undefined>;

/** Calls back once; until then no process runs unless something moves, and no other extension is woken. Of what another window does nothing tells, so that is looked for when this one comes to the front. */
export function onceThereIsOne(found: Find, own: Find, there: () => void): vscode.Disposable {
  let isOpen = true;
  const look = async (find: Find) => {
    const program = await find().catch(() => undefined);
    if (program !== undefined && isOpen) {
      all.dispose();
      there();
    }
  };
  const all = vscode.Disposable.from(
    onActivePython(() => void look(found)),
    vscode.window.onDidChangeWindowState(({ focused }) => void (focused && look(own))),
    new vscode.Disposable(() => {
      isOpen = false;
    }),
  );
  return all;
}
