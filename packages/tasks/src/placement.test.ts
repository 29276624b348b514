import { expect, test } from "vitest";
import { findMissingLabels, parsePlacement, renderPlacement } from "./placement.ts";

test("M043 a placement is rendered identically for any order of its labels", () => {
  const text = renderPlacement({ region: "eu-west-1", cloud: "aws" });
  expect(text).toBe(renderPlacement({ cloud: "aws", region: "eu-west-1" }));
  expect(parsePlacement(text)).toEqual({ cloud: "aws", region: "eu-west-1" });
});

test.for([
  { labels: { cloud: "aws" }, missing: {} },
  { labels: { cloud: "aws", region: "eu-west-1" }, missing: {} },
  { labels: { cloud: ["gcp", "aws"] }, missing: {} },
  { labels: { cloud: "*" }, missing: {} },
  { labels: { cloud: ["*"] }, missing: {} },
  { labels: { cloud: "gcp" }, missing: { cloud: "aws" } },
  { labels: { cloud: ["gcp"] }, missing: { cloud: "aws" } },
  { labels: { region: "aws" }, missing: { cloud: "aws" } },
  { labels: {}, missing: { cloud: "aws" } },
])("M043 an agent with $labels lacks $missing for a task that requires cloud=aws", ({ labels, missing }) => {
  expect(findMissingLabels({ cloud: "aws" }, labels)).toEqual(missing);
});

test("M043 a label with the name of an Object.prototype property does not match every agent", () => {
  expect(findMissingLabels({ constructor: "aws" }, {})).toEqual({ constructor: "aws" });
});
