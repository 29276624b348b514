import { expect, test } from "vitest";
import type { Scope, ScopeTask } from "../engine/scope.ts";
import type { StepResult, Work } from "../engine/step.ts";
import { createDestroyStep } from "./destroy.ts";

const work = { operationUid: "o", spec: { verb: "delete", force: true, retries: 0 }, fingerprint: "f" } as unknown as Work;
const destroy = (
  tasks: readonly Partial<ScopeTask>[],
  nowMs = 60_000,
  { forgotten = [], ...as }: { forgotten?: Scope["forgotten"]; force?: boolean } = {},
): StepResult => {
  const entity = { kind: "Network", name: "net", uid: "uid-1", object: { metadata: {} } };
  const scope = { entity, tasks, nowMs, begun: true, agents: [], forgotten } as unknown as Scope;
  return createDestroyStep("network").decide(scope, { ...work, spec: { ...work.spec, ...as } }, {} as never);
};
const left = ["aws_subnet subnet-1", "aws_vpc vpc-1"];
const failure = { state: "failed", fault: { code: "terraform.failed", message: "in use" }, result: { left } };
const common = { uid: "t", type: "network.destroy", operationUid: "o", retries: 0, fingerprint: "f", attempt: 1 } as const;

test("X010 M042 a forced deletion names the resources that stay in the account", () => {
  const result = destroy([{ ...common, state: "failed", outcome: failure as never }]);
  expect(result).toMatchObject({ do: "continue", abandoned: left });
  expect(result).toHaveProperty("message", expect.stringContaining("Left in the account: aws_subnet subnet-1, aws_vpc vpc-1"));
});

test("X010 M042 a forced deletion that does not wait for the next attempt names what the last attempt left", () => {
  const waiting = { ...common, state: "ready", delayedUntilMs: 90_000, createdAtMs: 0, formerOutcome: failure as never } as const;
  expect(destroy([waiting])).toMatchObject({ do: "continue", abandoned: left });
});

test("X010 M042 a forced deletion says so if no agent could list the resources", () => {
  const queued = { ...common, attempt: 0, state: "waiting", delayedUntilMs: null, createdAtMs: 0 } as const;
  const result = destroy([queued]);
  expect(result).toMatchObject({ do: "continue", abandoned: [expect.stringContaining("No agent listed the resources")] });
  expect(result).toHaveProperty("message", expect.stringContaining("cloudwright:entity=uid-1"));
});

const forgotten = [{ type: "aws_vpc", id: "vpc-1", address: 'aws_vpc.this["network"]' }];
const stays = expect.stringMatching(/^aws_vpc vpc-1 \(forgotten/) as string;

test("X010 X082 a deletion names the forgotten resources that stay in the account, even if it is forced", () => {
  for (const force of [false, true]) {
    const result = destroy([{ ...common, state: "done", outcome: { state: "done" } }], 60_000, { forgotten, force });
    expect(result).toMatchObject({ do: "continue", abandoned: [stays] });
    expect(result).toHaveProperty("message", expect.stringContaining("1 forgotten resource stays in the account: aws_vpc vpc-1"));
  }
});

test("X010 X082 a forced deletion that fails names forgotten resources once, and says that they were forgotten", () => {
  const result = destroy([{ ...common, state: "failed", outcome: failure as never }], 60_000, { forgotten });
  expect(result).toMatchObject({ do: "continue", abandoned: ["aws_subnet subnet-1", stays] });
});

test("X010 X082 a failed deletion does not list forgotten resources among those that it could not remove", () => {
  const result = destroy([{ ...common, state: "failed", outcome: failure as never }], 60_000, { forgotten, force: false });
  expect(result).toMatchObject({ do: "stop", left: ["aws_subnet subnet-1"] });
});
