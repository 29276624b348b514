import { readSpec } from "@cloudwright/contract";
import { expect, test } from "vitest";
import { previewUpgrade } from "./preview-upgrade.ts";

test("X040 the preview of an upgrade lists its steps and gates in order", () => {
  const http = { service: { namespace: "web", name: "front", port: "80" } };
  const gates = [
    { name: "smoke", http },
    { name: "load", when: ["between"], http },
  ];
  const spec = readSpec("Cluster", { version: "1.34", upgrade: { gates } });
  const listed = previewUpgrade("1.32", spec).map(
    ({ name, action, message }) => `${action} ${name}: ${message.split("; ").at(-1)}`,
  );
  expect(listed).toEqual([
    "check before: gates: smoke",
    "update 1.33: control plane, then nodes, in one run",
    "check between: gates: smoke, load",
    "update 1.34: control plane, then nodes, in one run",
    "check after: gates: smoke",
  ]);
  expect(previewUpgrade("1.34.1", spec)).toEqual([]);
  expect(previewUpgrade("", spec)).toEqual([]);
});
