import { expect, test } from "vitest";
import { createTestEntity } from "../testing/test-task.ts";
import { readInfraSettings } from "./infra-settings.ts";

test("M076 X033 missing and empty values in spec.infra count as unset", () => {
  const none = { version: undefined, ignore: [], overrides: undefined, backend: undefined };
  expect(readInfraSettings(createTestEntity("Network", {}))).toEqual(none);
  const empty = { version: "", approval: "", ignore: [], overrides: {}, backend: null };
  expect(readInfraSettings(createTestEntity("Network", { spec: { infra: empty } }))).toEqual(none);
});

test("X033 an ignore rule for one instance applies to all instances of the resource", () => {
  const ignore = [{ address: 'aws_subnet.public["eu-west-1a"]', path: "tags", owner: "them" }];
  expect(readInfraSettings(createTestEntity("Network", { spec: { infra: { ignore } } })).ignore).toEqual([
    { address: "aws_subnet.public", path: "tags" },
  ]);
});
