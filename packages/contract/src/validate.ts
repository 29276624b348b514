import type { DescMessage, Message } from "@bufbuild/protobuf";
import { pathToString } from "@bufbuild/protobuf/reflect";
import { createValidator } from "@bufbuild/protovalidate";
import type { FieldViolation } from "@cloudwright/platform";
import { isCertainlyValid } from "./accept.ts";
import { checkCluster, checkNetwork, checkSize, checkWindows } from "./checks.ts";

const validator = createValidator();

const checks: Readonly<Record<string, (message: Message) => FieldViolation[]>> = {
  "cloudwright.v1.Cluster": checkCluster as (message: Message) => FieldViolation[],
  "cloudwright.v1.Environment": checkWindows as (message: Message) => FieldViolation[],
  "cloudwright.v1.Network": checkNetwork as (message: Message) => FieldViolation[],
  "cloudwright.v1.Project": checkWindows as (message: Message) => FieldViolation[],
};

/** Checks a message against the rules in its proto file and those no rule language can say; empty when all hold. */
export function validate(schema: DescMessage, message: Message): FieldViolation[] {
  const violations = isCertainlyValid(schema, message) ? [] : findViolations(schema, message);
  violations.push(...checkSize(message));
  const check = checks[schema.typeName];
  return violations.length > 0 || check === undefined ? violations : check(message);
}

function findViolations(schema: DescMessage, message: Message): FieldViolation[] {
  const result = validator.validate(schema, message);
  if (result.kind === "error") throw result.error;
  if (result.kind === "valid") return [];
  return result.violations.map((violation) => ({
    field: toJsonPath(pathToString(violation.field)),
    message: violation.message,
  }));
}

/** `spec.node_role_arn` as callers write it: `spec.nodeRoleArn`. Keys of maps stand in quotes and are the caller's own. */
function toJsonPath(path: string): string {
  return path.replace(/"(?:[^"\\]|\\.)*"|_([a-z0-9])/g, (match, letter?: string) => letter?.toUpperCase() ?? match);
}
