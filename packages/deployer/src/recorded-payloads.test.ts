import { readTaskPayload } from "@cloudwright/contract";
import { listRecordedTasks } from "@cloudwright/contract/testing/recorded-payloads";
import type { Fault } from "@cloudwright/platform";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { awsKubernetes } from "./kubernetes/aws/stack.ts";
import { awsNetwork } from "./network/aws/stack.ts";
import type { Stack } from "./stack.ts";
import { awsStorage } from "./storage/aws/stack.ts";

interface Recorded {
  readonly type: string;
  readonly what: string;
  readonly version: string;
  /** The variables that release 0.1.0 rendered for this payload, or the code of the fault that it threw. */
  readonly variables: object;
}

const file = new URL("./testing/recorded/variables-0.1.0.jsonl", import.meta.url);
const recorded = readFileSync(file, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Recorded);
const tasks = new Map(listRecordedTasks().map((task) => [`${task.type} ${task.what}`, task]));
const stacks: Readonly<Partial<Record<string, Stack>>> = { Network: awsNetwork, Cluster: awsKubernetes, Storage: awsStorage };

test.each(recorded)(
  "M043 M063 $type from release 0.1.0 has the same variables: $what, $version",
  ({ type, what, version, variables }) => {
    const payload = readTaskPayload(tasks.get(`${type} ${what}`)!.payload);
    expect(render(stacks[payload.entity.kind]!, payload, version)).toEqual(variables);
  },
);

function render(stack: Stack, payload: ReturnType<typeof readTaskPayload>, version: string): object {
  try {
    return stack.variables(payload.entity, payload.account!, payload, version);
  } catch (error) {
    return { fault: (error as Fault).code };
  }
}
