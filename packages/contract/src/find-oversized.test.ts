import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { NetworkSchema } from "../gen/cloudwright/v1/network_pb.ts";
import { findOversized } from "./find-oversized.ts";
import { validate } from "./validate.ts";

const many = (count: number): string[] => Array.from({ length: count }, (_, nth) => `k${nth}`);

test("X063 lists, maps and strings that are far too large are reported without checking their entries", () => {
  const labels = Object.fromEntries(many(60_000).map((name) => [name, "not valid!"]));
  const large = create(NetworkSchema, {
    metadata: { name: "x".repeat(1_000_000), labels },
    spec: { account: "a", region: "eu-west-1", zones: many(50_000) },
  });
  expect(validate(NetworkSchema, large)).toEqual([
    { field: "metadata.name", message: "must be at most 63 characters" },
    { field: "metadata.labels", message: "must contain at most 64 entries" },
    { field: "spec.zones", message: expect.stringMatching(/^must contain at most \d+ items$/) },
  ]);
});

test("X063 values that are slightly too large get the validator's complete list of violations", () => {
  const labels = Object.fromEntries(many(70).map((name) => [name, "v"]));
  const message = create(NetworkSchema, { metadata: { name: "Not Valid", labels }, spec: { account: "a", region: "eu-west-1" } });
  expect(findOversized(NetworkSchema, message)).toEqual([]);
  expect(validate(NetworkSchema, message).map(({ field }) => field)).toEqual(["metadata.name", "metadata.labels"]);
});
