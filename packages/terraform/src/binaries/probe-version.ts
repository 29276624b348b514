import { findText, objectOf, parseJson } from "@cloudwright/platform";
import { text } from "node:stream/consumers";
import { signalGroup } from "../driver/signal-group.ts";
import type { Spawn } from "../driver/spawn.ts";
import { isVersion } from "./version.ts";

const patienceMs = 30_000;

/** Runs a program to find its version. Returns undefined if the program does not report a version. */
export async function probeVersion(spawn: Spawn, path: string): Promise<string | undefined> {
  try {
    const env = { CHECKPOINT_DISABLE: "1", TF_CLI_CONFIG_FILE: "/dev/null" };
    const child = await spawn(path, ["version", "-json"], { env, cwd: "/" });
    const timer = setTimeout(() => signalGroup(child.pid, "SIGKILL"), patienceMs);
    child.stdin.end();
    child.stderr.resume();
    const [answer, end] = await Promise.all([text(child.stdout), child.ended]);
    clearTimeout(timer);
    const version = findText(objectOf(parseJson(answer))["terraform_version"]);
    return end.code === 0 && version !== undefined && isVersion(version) ? version : undefined;
  } catch {
    return undefined;
  }
}
