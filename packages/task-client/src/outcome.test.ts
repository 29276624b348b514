import { Fault, platformFaults } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { toFailure } from "./outcome.ts";

test("X013 what a fault says of single fields goes with the failure, and nothing where it says none", () => {
  const fields = [{ field: "spec.nat", message: "no room", help: "free some" }];
  expect(toFailure(new Fault(platformFaults.bad_configuration, "no", { fields }))).toMatchObject({
    outcome: "failed",
    fault: { code: "platform.bad_configuration", permanent: true },
    outputs: { findings: [{ field: "spec.nat", message: "no room", help: "free some", code: "" }] },
  });
  expect(toFailure(new Error("other"))).not.toHaveProperty("outputs");
});
