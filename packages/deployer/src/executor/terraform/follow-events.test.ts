import type { TerraformEvent } from "@cloudwright/terraform";
import { expect, test } from "vitest";
import { createProgress } from "../progress.ts";
import { followEvents } from "./follow-events.ts";

test("M060 the percentage grows with the count of finished resources and stays below 100", () => {
  const reported: number[] = [];
  const follow = followEvents(createProgress((percent) => void reported.push(percent)));
  const step = (type: "planned" | "finished", action: "create" | "none" | "read", name = "b"): TerraformEvent => {
    const about = { action, address: `a.${name}`, resourceType: "a" };
    return type === "planned" ? { type, ...about } : { type, ...about, seconds: 0 };
  };
  for (const name of ["read", "first"]) follow(step("finished", "read", name));
  // An apply emits the events of its plan a second time.
  for (const name of ["a", "b", "c", "d", "a", "b", "c", "d"]) follow(step("planned", "create", name));
  follow(step("planned", "none"));
  for (let count = 0; count < 5; count += 1) follow(step("finished", "create"));
  expect(reported).toEqual([35, 55, 75, 95, 95]);
});
