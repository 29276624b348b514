import { Fault, isObject, type Json, type JsonObject } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity } from "../../task.ts";

const documentKeys = new Set(["Version", "Id", "Statement"]);
const version = "2012-10-17";

/** Renders the statements of a user's bucket policy as JSON strings. Throws if the document is not a policy that S3 would accept. */
export function renderStatements({ name }: DeployedEntity<"Storage">, policy: JsonObject | undefined): string[] {
  if (policy === undefined) return [];
  const wrong = findWrongDocument(policy);
  if (wrong !== undefined) throw new Fault(deployerFaults.bad_spec, `spec.bucket.policy${wrong} (${name})`);
  return listStatements(policy).map((statement) => JSON.stringify(statement));
}

function listStatements({ Statement: statements }: JsonObject): Json[] {
  return Array.isArray(statements) ? statements : [statements ?? null];
}

function findWrongDocument(policy: JsonObject): string | undefined {
  const stranger = Object.keys(policy).find((key) => !documentKeys.has(key));
  if (stranger !== undefined) return ` contains ${stranger}; a policy document consists of Version, Id and Statement`;
  if ((policy["Version"] ?? version) !== version) return `.Version must be ${version}`;
  const seen = new Set(["OnlyTls"]);
  for (const [index, statement] of listStatements(policy).entries()) {
    const at = `.Statement[${index}]`;
    if (!isObject(statement)) return `${at} must be an object`;
    const { Effect: effect, Principal, NotPrincipal, Action, NotAction, Sid: sid } = statement;
    if (effect !== "Allow" && effect !== "Deny") return `${at}.Effect must be Allow or Deny`;
    if (Principal === undefined && NotPrincipal === undefined) return `${at} must have a Principal`;
    if (Action === undefined && NotAction === undefined) return `${at} must have an Action`;
    if (sid === undefined) continue;
    if (typeof sid !== "string" || seen.has(sid)) return `${at}.Sid must be a unique string; OnlyTls is reserved`;
    seen.add(sid);
  }
  return undefined;
}
