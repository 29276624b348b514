import { expect, test } from "vitest";
import type { Scope } from "../engine/scope.ts";
import type { Step } from "../engine/step.ts";
import { releaseExisting, unlessExisting } from "./existing.ts";

const destroy = { name: "destroy", decide: () => ({ do: "run" }) } as unknown as Step;
const existing = { existing: { account: "prod", id: "arn:shop", region: "r", mode: "manage" } };
const scopeOf = (spec: object, tasks: readonly object[] = []) => ({ entity: { object: { spec } }, tasks }) as unknown as Scope;
const decide = (step: Step, scope: Scope) => step.decide(scope, {} as never, {} as never);

test("X016 the deletion of a cluster that was not created here continues without destroying anything", () => {
  expect(decide(releaseExisting(destroy), scopeOf(existing))).toMatchObject({ do: "continue" });
  expect(decide(releaseExisting(destroy), scopeOf({ network: "main" }))).toEqual({ do: "run" });
});

test("X016 a release waits for a run in progress", () => {
  const running = { state: "leased", type: "cluster.apply" };
  expect(decide(releaseExisting(destroy), scopeOf(existing, [running]))).toMatchObject({ do: "wait", task: running });
  expect(decide(releaseExisting(destroy), scopeOf(existing, [{ state: "done" }]))).toMatchObject({ do: "continue" });
});

test("X016 steps that change objects in the cluster are skipped", () => {
  expect(decide(unlessExisting(destroy), scopeOf(existing))).toMatchObject({ do: "continue" });
  expect(decide(unlessExisting(destroy), scopeOf({}))).toEqual({ do: "run" });
});
