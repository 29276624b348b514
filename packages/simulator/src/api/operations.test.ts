import { createManualClock } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { defaultConditions } from "../cloud/conditions.ts";
import { createMemoryInventory } from "../inventory/memory-inventory.ts";
import type { Scope } from "../provider/scope.ts";
import { openOperations } from "./operations.ts";

test("a deletion that becomes due during a request stays in progress until the next request completes it", async () => {
  const [inventory, clock, tenant] = [createMemoryInventory(), createManualClock(), "tenant"];
  const scope = { inventory, clock, tenant } as unknown as Scope;
  const times = { startedMs: clock.now(), doneMs: clock.now() + 100 };
  const attributes = { ...times, type: "aws_instance", target: "i-1", verb: "delete", isSettled: false, facts: "null" };
  await inventory.put(tenant, { type: "cloud_operation", id: "operation", attributes });
  const isPending = async (waitMs: number): Promise<boolean> => {
    const operations = await openOperations(scope, defaultConditions);
    clock.advance(waitMs);
    return operations.list().some((operation) => operations.isPending(operation));
  };
  expect([await isPending(200), await isPending(0)]).toEqual([true, false]);
});
