import { expect, test } from "vitest";
import { describeOperation } from "./describe-operation.ts";

test("X010 X080 X082 an operation on a single resource, a drift check and the preview of a deletion are described as such", () => {
  const about = { entityKind: "Network", entityName: "main" };
  const describe = (spec: object): string => describeOperation({ ...about, ...spec }, (kind) => kind.toLowerCase());
  expect(describe({ verb: "create" })).toBe("Create network main");
  expect(describe({ verb: "forget" })).toBe("Forget a resource of network main");
  expect(describe({ verb: "adopt" })).toBe("Adopt a resource into network main");
  expect(describe({ verb: "check" })).toBe("Check for drift in network main");
  expect(describe({ verb: "preview", deletion: true })).toBe("Preview the deletion of network main");
  expect(describeOperation({ ...about, verb: "correct" })).toBe("Correct drift in main");
});
