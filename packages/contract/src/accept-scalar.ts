import { isFieldSet, ScalarType, type DescField, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import {
  Int32RulesSchema,
  StringRulesSchema,
  type FieldRules,
  type Int32Rules,
  type StringRules,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { parseRange } from "./cidr.ts";

/** Says yes only to what certainly keeps the rules it was made of. */
export type Accept<Value = unknown> = (value: Value) => boolean;

/** There is no rule. */
export const anything: Accept = () => true;

/** There is a rule that only the validator knows. */
export const unsure: Accept = () => false;

/** Whether rules hold nothing but these fields, by name or by the name of their oneof. */
export function isUnderstood<Desc extends DescMessage>(
  schema: Desc,
  rules: MessageShape<Desc>,
  names: readonly string[],
): boolean {
  // Rules that somebody defined beside the standard ones are kept as unknown fields.
  if (rules.$unknown !== undefined && rules.$unknown.length > 0) return false;
  return schema.fields.every((field) => names.includes(nameOf(field)) || !isFieldSet(rules, field));
}

function nameOf({ oneof, localName }: DescField): string {
  return oneof?.localName ?? localName;
}

/** Accepts texts, whole numbers and switches by their rules. */
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
  // Lengths count characters, of which there are never more than units.
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

/** Our own patterns mean the same to the validator's engine and to this one, which is quicker but may not be given long texts. */
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
  // The other way round the two exclude what lies between them.
  if (least > most) return unsure;
  return (number) => number >= least && number <= most && (rules.in.length === 0 || rules.in.includes(number));
}
