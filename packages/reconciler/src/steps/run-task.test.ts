import { expect, test } from "vitest";
import type { Scope, ScopeTask } from "../engine/scope.ts";
import { followTask } from "./run-task.ts";

const follow = (result: object) => {
  const task = { uid: "t", type: "network.preflight", state: "done", outcome: { state: "done", result } } as ScopeTask;
  return followTask({} as Scope, task, "network.preflight", "short");
};

test("X013 the warnings of a successful preflight become its condition's message", () => {
  const message = "preflight checks of the network service are not implemented for Google Cloud yet";
  const findings = [{ field: "account", message, severity: "should" }];
  expect(follow({ findings })).toMatchObject({ do: "continue", message });
});

test("X013 a preflight without warnings needs no message", () => {
  expect(follow({})).not.toHaveProperty("message");
});

const failed = (code: string, endedAtMs: number): ScopeTask => {
  const fault = { code, message: "the cloud is down", help: "", retry: "backoff" };
  return { uid: "t", type: "network.plan", state: "failed", endedAtMs, outcome: { state: "failed", fault } } as ScopeTask;
};

test("X010 X031 a failed adoption is never final: after all attempts a new task tries again", () => {
  const task = failed("deployer.adoption_failed", 1000);
  const at = (nowMs: number) => followTask({ nowMs } as Scope, task, "network.plan", "long");
  expect(at(1000)).toMatchObject({ do: "wait", reason: "Retrying", recheckAfterMs: 600_100 });
  expect(at(601_000)).toEqual({ do: "run", type: "network.plan", lane: "long", after: "t" });
});

test("X031 X030 a run that is killed again and again is never given up", () => {
  for (const code of ["terraform.killed", "tasks.lease_expired"]) {
    const at = (nowMs: number) => followTask({ nowMs } as Scope, failed(code, 1000), "network.plan", "long");
    expect(at(1000)).toMatchObject({ do: "wait", reason: "Retrying" });
    expect(at(61_000)).toMatchObject({ do: "run", after: "t" });
  }
});

test("X031 any other failure is final after all attempts", () => {
  const result = followTask({ nowMs: 601_000 } as Scope, failed("terraform.failed", 0), "network.plan", "long");
  expect(result).toMatchObject({ do: "stop", code: "terraform.failed" });
});
