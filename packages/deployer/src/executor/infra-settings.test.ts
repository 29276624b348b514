import { expect, test } from "vitest";
import { createTestEntity } from "../testing/test-task.ts";
import { readInfraSettings } from "./infra-settings.ts";

test("M076 X033 what spec.infra leaves out or empty is no wish", () => {
  const none = { version: undefined, ignore: [], overrides: undefined, backend: undefined };
  expect(readInfraSettings(createTestEntity("Network", {}))).toEqual(none);
  const empty = { version: "", approval: "", ignore: [], overrides: {}, backend: null };
  expect(readInfraSettings(createTestEntity("Network", { spec: { infra: empty } }))).toEqual(none);
});

test("X033 a rule for one instance is one for all: Terraform knows no other", () => {
  const ignore = [{ address: 'aws_subnet.public["eu-west-1a"]', path: "tags", owner: "them" }];
  expect(readInfraSettings(createTestEntity("Network", { spec: { infra: { ignore } } })).ignore).toEqual([
    { address: "aws_subnet.public", path: "tags" },
  ]);
});
