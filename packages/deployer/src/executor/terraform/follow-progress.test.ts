import type { TerraformEvent } from "@cloudwright/terraform";
import { expect, test } from "vitest";
import { createProgress } from "./follow-progress.ts";

test("M060 percent grow by the resources that are done, and end before the work does", () => {
  const said: number[] = [];
  const follow = createProgress((percent) => said.push(percent));
  const step = (type: "planned" | "finished", action: "create" | "none" | "read", name = "b"): TerraformEvent => {
    const about = { action, address: `a.${name}`, resourceType: "a" };
    return type === "planned" ? { type, ...about } : { type, ...about, seconds: 0 };
  };
  for (const name of ["read", "first"]) follow(step("finished", "read", name));
  // The plan, and the apply that tells it once more.
  for (const name of ["a", "b", "c", "d", "a", "b", "c", "d"]) follow(step("planned", "create", name));
  follow(step("planned", "none"));
  for (let count = 0; count < 5; count += 1) follow(step("finished", "create"));
  expect(said).toEqual([35, 55, 75, 95, 95]);
});
