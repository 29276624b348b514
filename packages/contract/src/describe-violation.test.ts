import { fromJson, getOption, hasOption, toJson, type DescMessage } from "@bufbuild/protobuf";
import { field as fieldRules, FieldRulesSchema } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { expect, test } from "vitest";
import { describeViolation } from "./describe-violation.ts";
import { getEntitySchema, type Json } from "./entities.ts";
import { methods } from "./methods.ts";
import { patternWords } from "./pattern-words.ts";
import { rejectedInputs } from "./testing/entity-inputs.ts";
import { validate } from "./validate.ts";

function listPatterns(message: DescMessage, seen = new Set<DescMessage>()): string[] {
  if (seen.has(message)) return [];
  seen.add(message);
  return message.fields.flatMap((field) => [
    ...(hasOption(field, fieldRules) ? findPatterns(toJson(FieldRulesSchema, getOption(field, fieldRules))) : []),
    ...(field.message === undefined ? [] : listPatterns(field.message, seen)),
  ]);
}

function findPatterns(rules: Json): string[] {
  if (typeof rules !== "object" || rules === null) return [];
  return Object.entries(rules).flatMap(([name, value]) =>
    name === "pattern" && typeof value === "string" ? [value] : findPatterns(value),
  );
}

test("X085 every pattern in the proto files has a phrase, and no phrase is unused", () => {
  const used = new Set(methods.flatMap(({ descriptor }) => listPatterns(descriptor.input)));
  expect([...used].filter((pattern) => patternWords[pattern] === undefined)).toEqual([]);
  expect(Object.keys(patternWords).filter((pattern) => !used.has(pattern))).toEqual([]);
});

test.each(rejectedInputs)("X085 the message for a $kind $what says in words what is allowed", ({ kind, input }) => {
  const schema = getEntitySchema(kind);
  for (const { message } of validate(schema, fromJson(schema, input))) {
    expect(message).not.toMatch(/regex|in list|[`^$\\]|\(s\)|1 characters|documented format/);
  }
});

test.each([
  ["value is required", "is required"],
  ["must be at least 1 characters", "is required"],
  ["must be in list [, on-demand, spot]", "must be empty or one of on-demand, spot"],
  ["must be in list [0, 1, 3, 5]", "must be one of 0, 1, 3, 5"],
  ["must be greater than or equal to 0 and less than or equal to 20", "must be from 0 to 20"],
  ["must be a valid IPv4 prefix", "must be an IPv4 range such as 10.0.0.0/16, without host bits"],
  ["must contain no more than 6 item(s)", "must contain at most 6 items"],
  ["map must be at most 64 entries", "must contain at most 64 entries"],
  ["must be at most 63 characters", "must be at most 63 characters"],
])("X085 the validator's message %j becomes %j", (message, words) => {
  expect(describeViolation(message)).toBe(words);
});
