import { expect, test } from "vitest";
import type { Scope, ScopeTask } from "../engine/scope.ts";
import { followTask } from "./run-task.ts";

const follow = (result: object) => {
  const task = { uid: "t", type: "network.preflight", state: "done", outcome: { state: "done", result } } as ScopeTask;
  return followTask({} as Scope, task, "network.preflight", "short");
};

test("X013 the warnings of a successful preflight become its condition's message", () => {
  const message = "preflight checks for a network are not implemented for Google Cloud yet";
  const findings = [{ field: "account", message, severity: "should" }];
  expect(follow({ findings })).toMatchObject({ do: "continue", message });
});

test("X013 a preflight without warnings needs no message", () => {
  expect(follow({})).not.toHaveProperty("message");
});
