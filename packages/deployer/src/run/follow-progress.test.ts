import type { TerraformEvent } from "@cloudwright/terraform";
import { expect, test } from "vitest";
import { createProgress } from "./follow-progress.ts";

test("M060 percent grow by the resources that are done, and end before the work does", () => {
  const said: number[] = [];
  const follow = createProgress((percent) => said.push(percent));
  const step = (type: "planned" | "finished", action: "create" | "none"): TerraformEvent => {
    const about = { action, address: "a.b", resourceType: "a" };
    return type === "planned" ? { type, ...about } : { type, ...about, seconds: 0 };
  };
  for (let count = 0; count < 4; count += 1) follow(step("planned", "create"));
  follow(step("planned", "none"));
  for (let count = 0; count < 5; count += 1) follow(step("finished", "create"));
  expect(said).toEqual([35, 55, 75, 95, 95]);
});
