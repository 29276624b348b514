import { Fault, platformFaults } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { toFailure } from "./outcome.ts";

test("X013 the field details of a fault are reported with the failure", () => {
  const fields = [{ field: "spec.nat", message: "no addresses left", help: "free some" }];
  expect(toFailure(new Fault(platformFaults.bad_configuration, "no", { fields }))).toMatchObject({
    outcome: "failed",
    fault: { code: "platform.bad_configuration", permanent: true },
    outputs: { findings: [{ field: "spec.nat", message: "no addresses left", help: "free some", code: "" }] },
  });
  expect(toFailure(new Error("other"))).not.toHaveProperty("outputs");
});
