import type { CloudPart } from "@cloudwright/clouds";
import { expect, test } from "vitest";
import type { Cloud } from "../cloud.ts";
import type { JsonObject } from "../task.ts";
import { createTestTask } from "../testing/test-task.ts";
import { instanceWork } from "./instance-work.ts";

const account = { uid: "a", name: "rack", cloud: "local", simulated: false, spec: {} };
const key = `ssh-ed25519 ${"A".repeat(68)}`;
const printed = `-----BEGIN SSH HOST KEY KEYS-----\n${key} root@web\n-----END SSH HOST KEY KEYS-----`;

/** Runs an action of an instance whose machine has this part. */
async function work(
  action: "readHostKeys" | "readConsole",
  part: Partial<CloudPart>,
  outputs: JsonObject = { instance_id: "i-1" },
  log: (line: string) => void = () => undefined,
) {
  const cloud = { openDirect: async () => new Map([["machine", part]]), close: async () => undefined } as unknown as Cloud;
  const task = createTestTask("instance.hostkeys", {
    outputs,
    spec: { network: "net" },
    openState: async () => ({}) as never,
    log,
  });
  return instanceWork[action]?.({ openCloud: async () => cloud }, task, account);
}

test("M007 host keys that the cloud generated are recorded without reading a console", async () => {
  const readConsole = async (): Promise<never> => Promise.reject(new Error("the console is not read"));
  const outcome = await work("readHostKeys", { readConsole, readHostKeys: async () => [key] });
  expect(outcome).toEqual({ outcome: "done", outputs: { hostKeys: [key], hostKeysOf: "i-1" } });
});

test("M007 in other clouds, host keys are read from the console", async () => {
  const outcome = await work("readHostKeys", { readConsole: async () => printed });
  expect(outcome).toEqual({ outcome: "done", outputs: { hostKeys: [key], hostKeysOf: "i-1" } });
  expect(await work("readConsole", { readConsole: async () => "boot\0ed" })).toEqual({
    outcome: "done",
    outputs: { text: "booted" },
  });
});

test("M143 an instance that does not exist yet, and a cloud without consoles, are refused", async () => {
  const readConsole = async (): Promise<string> => "";
  await expect(work("readConsole", { readConsole }, {})).rejects.toMatchObject({ code: "deployer.bad_spec" });
  await expect(work("readConsole", {})).rejects.toMatchObject({ code: "deployer.not_supported" });
});

test("X015 the end of a new instance's boot log is part of its operation's log, and a log that cannot be read delays nothing", async () => {
  const lines: string[] = [];
  const outputs = { instance_id: "i-1", is_new: true };
  const machine = { readHostKeys: async () => [key] };
  await work("readHostKeys", { ...machine, readConsole: async () => "starting\nweb login:" }, outputs, (line) =>
    lines.push(line),
  );
  expect(lines).toEqual(["boot: starting", "boot: web login:"]);
  const readConsole = async (): Promise<never> => Promise.reject(new Error("no console"));
  expect(await work("readHostKeys", { ...machine, readConsole }, outputs)).toMatchObject({ outcome: "done" });
});
