import type { JsonObject } from "@bufbuild/protobuf";
import { parseTaskType, type TaskPayload } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { taskClientFaults } from "../faults.ts";
import type { HandlerTask } from "../handler.ts";

/** Instructions for a demo handler, from the entity's annotations. */
export interface DemoDirectives {
  readonly sleepMs: number;
  /** Number of the last attempt that fails. */
  readonly failUntil: number;
  readonly failPermanently: boolean;
  /** Number of the last attempt whose program is killed by a signal. */
  readonly crashUntil: number;
  readonly ignoreCancel: boolean;
  readonly outputs: JsonObject | undefined;
}

const prefix = "demo.cloudwright.dev/";

/**
 * Reads the annotation `demo.cloudwright.dev/<network.apply, apply or *>`, for example "sleep=2s; fail=2". Other directives are
 * `fail=permanent`, `crash`, `crash=1`, `ignore-cancel` and `outputs={...}`. Returns undefined if the annotation is missing.
 */
export function findDirectives(task: Pick<HandlerTask, "type">, payload: TaskPayload): DemoDirectives | undefined {
  const names = [task.type, parseTaskType(task.type)?.actionWord ?? payload.action, "*"];
  const text = names.map((name) => payload.entity.annotations[prefix + name]).find((value) => value !== undefined);
  if (text === undefined) return undefined;
  const words = new Map(
    text.split(";").map((part) => [part.split("=")[0]?.trim() ?? "", part.slice(part.indexOf("=") + 1).trim()]),
  );
  words.delete("");
  for (const word of words.keys()) {
    if (!["sleep", "fail", "crash", "ignore-cancel", "outputs"].includes(word)) throw misunderstood(word);
  }
  const fail = words.get("fail");
  return {
    sleepMs: words.has("sleep") ? parseDuration(words.get("sleep") ?? "") : 0,
    failUntil: fail === undefined || fail === "permanent" ? 0 : parseCount(fail, "fail"),
    failPermanently: fail === "permanent",
    crashUntil: words.has("crash") ? parseCount(words.get("crash") ?? "", "crash") : 0,
    ignoreCancel: words.has("ignore-cancel"),
    outputs: words.has("outputs") ? parseOutputs(words.get("outputs") ?? "") : undefined,
  };
}

function parseDuration(text: string): number {
  const match = /^(?<count>\d+(\.\d+)?)(?<unit>ms|s|m)?$/.exec(text);
  if (match?.groups === undefined) throw misunderstood(`sleep=${text}`);
  return Number(match.groups["count"]) * { ms: 1, s: 1000, m: 60_000 }[match.groups["unit"] ?? "s"]!;
}

// A directive without a number applies to every attempt.
function parseCount(text: string, word: string): number {
  if (text === word) return Infinity;
  if (!/^\d+$/.test(text)) throw misunderstood(`${word}=${text}`);
  return Number(text);
}

function parseOutputs(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    throw misunderstood("outputs");
  }
}

function misunderstood(word: string): Fault {
  return new Fault(taskClientFaults.bad_payload, `the annotation ${prefix}... contains "${word}", which is not a demo directive`);
}
