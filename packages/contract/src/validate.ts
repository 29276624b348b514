import type { DescMessage, Message } from "@bufbuild/protobuf";
import { pathToString } from "@bufbuild/protobuf/reflect";
import { createValidator } from "@bufbuild/protovalidate";
import type { FieldViolation } from "@cloudwright/platform";
import { isCertainlyValid } from "./accept.ts";
import { checkSize } from "./check-size.ts";
import { describeViolation } from "./describe-violation.ts";
import { findOversized } from "./find-oversized.ts";
import { findCheck } from "./kinds/checks.ts";

const validator = createValidator();

/**
 * Checks a message against the rules in its proto file and the additional rules of its kind. Returns an empty list if the message is valid.
 */
export function validate(schema: DescMessage, message: Message): FieldViolation[] {
  const violations = isCertainlyValid(schema, message) ? [] : findViolations(schema, message);
  violations.push(...checkSize(message));
  const check = findCheck(schema.name);
  return violations.length > 0 || check === undefined ? violations : check(message);
}

function findViolations(schema: DescMessage, message: Message): FieldViolation[] {
  const oversized = findOversized(schema, message);
  if (oversized.length > 0) return oversized.map((violation) => ({ ...violation, field: toJsonPath(violation.field) }));
  const result = validator.validate(schema, message);
  if (result.kind === "error") throw result.error;
  if (result.kind === "valid") return [];
  return result.violations.map((violation) => ({
    field: toJsonPath(pathToString(violation.field)),
    message: describeViolation(violation.message),
  }));
}

/** Converts a path such as `spec.node_role_arn` to its JSON spelling, `spec.nodeRoleArn`. Quoted map keys stay unchanged. */
function toJsonPath(path: string): string {
  return path.replace(/"(?:[^"\\]|\\.)*"|_([a-z0-9])/g, (match, letter?: string) => letter?.toUpperCase() ?? match);
}
