/**
 * node run-operation.ts DIRECTORY OPERATION: runs one operation on volumes in a separate process, so that a test can kill it. The operation
 * starts when the process reads a line of input. The process prints the result or the fault as JSON.
 */
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Fault, systemClock } from "@cloudwright/platform";
import { runTool } from "../../run-tool.ts";
import { openVolumes, type Volumes } from "../volumes.ts";

/** An operation that a test runs in another process. */
export type Operation =
  | { readonly name: "create"; readonly uid: string; readonly sizeGib: number; readonly fromSnapshot?: string | undefined }
  | { readonly name: "attach"; readonly uid: string; readonly instance: string; readonly pid: number }
  | { readonly name: "detach" | "remove"; readonly uid: string }
  | { readonly name: "resize"; readonly uid: string; readonly sizeGib: number }
  | { readonly name: "snapshot"; readonly uid: string; readonly snapshot: string };

const [directory, text] = process.argv.slice(2);
if (directory !== undefined && text !== undefined) {
  const volumes = await openVolumes({ directory, run: runTool, clock: systemClock });
  const lines = createInterface(process.stdin);
  console.log("ready");
  await once(lines, "line");
  lines.close();
  try {
    console.log(JSON.stringify({ result: await runOperation(volumes, JSON.parse(text) as Operation) }));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    console.log(JSON.stringify({ code: error.code, message: error.message }));
  }
}

export function runOperation(volumes: Volumes, operation: Operation): Promise<unknown> {
  const { name, uid } = operation;
  switch (name) {
    case "create":
      return volumes.create(operation);
    case "attach":
      return volumes.attach(uid, { uid: operation.instance, leaderPid: () => Promise.resolve(operation.pid) });
    case "detach":
      return volumes.detach(uid);
    case "remove":
      return volumes.remove(uid);
    case "resize":
      return volumes.resize(uid, operation.sizeGib);
    case "snapshot":
      return volumes.snapshot(uid, operation.snapshot);
  }
}
