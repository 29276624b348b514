import { isFieldSet, ScalarType, type DescField, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import {
  Int32RulesSchema,
  StringRulesSchema,
  type FieldRules,
  type Int32Rules,
  type StringRules,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { parseRange } from "./cidr.ts";

/** Returns true only if a value certainly satisfies the rules. False means that the validator must decide. */
export type Accept<Value = unknown> = (value: Value) => boolean;

/** Check for a field without rules: accepts every value. */
export const anything: Accept = () => true;

/** Check for rules that only the validator can evaluate: never accepts a value. */
export const unsure: Accept = () => false;

/** Returns whether the rules set only the fields in `names`. A member of a oneof is identified by the oneof's name. */
export function isUnderstood<Desc extends DescMessage>(
  schema: Desc,
  rules: MessageShape<Desc>,
  names: readonly string[],
): boolean {
  // Custom rules appear as unknown fields.
  if (rules.$unknown !== undefined && rules.$unknown.length > 0) return false;
  return schema.fields.every((field) => names.includes(nameOf(field)) || !isFieldSet(rules, field));
}

function nameOf({ oneof, localName }: DescField): string {
  return oneof?.localName ?? localName;
}

/** Creates a fast check for a string, integer or boolean field. */
export function acceptScalar(rules: FieldRules | undefined, scalar: DescField["scalar"]): Accept {
  const type = rules?.type;
  if (rules === undefined || (type?.case === undefined && !rules.required)) return anything;
  if (scalar === ScalarType.STRING) {
    if (type?.case === undefined) return anything;
    return type.case === "string" ? (acceptText(type.value) as Accept) : unsure;
  }
  if (scalar === ScalarType.INT32 && type?.case === "int32") return acceptNumber(type.value) as Accept;
  return (scalar === ScalarType.INT32 || scalar === ScalarType.BOOL) && type?.case === undefined ? anything : unsure;
}

function acceptText(rules: StringRules): Accept<string> {
  if (!isUnderstood(StringRulesSchema, rules, ["minLen", "maxLen", "pattern", "in", "wellKnown", "example"])) return unsure;
  const { minLen, maxLen } = StringRulesSchema.field;
  const checks: Accept<string>[] = [];
  // The validator counts code points. A string never has more code points than UTF-16 code units, so `length` is a safe upper bound.
  if (isFieldSet(rules, maxLen)) checks.push(acceptUpTo(Number(rules.maxLen)));
  if (isFieldSet(rules, minLen)) checks.push(acceptFrom(Number(rules.minLen)));
  if (rules.pattern !== "") checks.push(acceptPattern(rules.pattern));
  if (rules.in.length > 0) checks.push((text) => rules.in.includes(text));
  if (rules.wellKnown.case !== undefined) checks.push(acceptWellKnown(rules.wellKnown));
  const [only = anything] = checks;
  return checks.length < 2 ? only : (text) => checks.every((check) => check(text));
}

function acceptUpTo(most: number): Accept<string> {
  return (text) => text.length <= most;
}

function acceptFrom(least: number): Accept<string> {
  return (text) => text.length >= least && (least === 1 || text.length >= 2 * least || Array.from(text).length >= least);
}

/**
 * Creates a check for a pattern. JavaScript's regex engine is faster than the validator's and gives the same results for our patterns.
 * JavaScript's engine can be slow on long input, so long input is left to the validator.
 */
function acceptPattern(pattern: string): Accept<string> {
  const expression = new RegExp(pattern, "u");
  return (text) => text.length <= 1024 && expression.test(text);
}

const octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
const ipv4Range = new RegExp(`^${octet}(?:\\.${octet}){3}/(?:3[0-2]|[12]?[0-9])$`);

function acceptWellKnown({ case: name, value }: StringRules["wellKnown"]): Accept<string> {
  if (value !== true || (name !== "ipPrefix" && name !== "ipv4Prefix")) return unsure;
  return (text) => ipv4Range.test(text) && parseRange(text) !== undefined;
}

function acceptNumber(rules: Int32Rules): Accept<number> {
  if (!isUnderstood(Int32RulesSchema, rules, ["lessThan", "greaterThan", "in", "example"])) return unsure;
  const { lessThan, greaterThan } = rules;
  if (lessThan.case === "lt" || greaterThan.case === "gt") return unsure;
  const least = greaterThan.value ?? Number.NEGATIVE_INFINITY;
  const most = lessThan.value ?? Number.POSITIVE_INFINITY;
  // If the lower bound is greater than the upper bound, the rule accepts only values outside that range.
  if (least > most) return unsure;
  return (number) => number >= least && number <= most && (rules.in.length === 0 || rules.in.includes(number));
}
