import type { PermissionJson } from "@cloudwright/api-client";
import { findKind } from "@cloudwright/contract/kinds";
import { Fault } from "@cloudwright/platform/fault";
import { didYouMean } from "@cloudwright/platform/suggest";
import { addExamples, onServer, type Configure } from "../command-context.ts";
import { ExitRequest } from "../exit-codes.ts";
import { cliFaults } from "../faults.ts";
import { isStructured } from "../output/output.ts";

/** `cloud can-i [verb kind]`: prints yes or no for one permission, or a table of all permissions. */
export const configureCanI: Configure = (command, context) => {
  command
    .argument("[verb]", "create, get, list, watch, update, delete, pause ...")
    .argument("[kind]", "a kind such as cluster, or one of event, auditrecord, token");
  addExamples(command, "cloud can-i", "cloud can-i create cluster && echo yes", "cloud can-i delete network -p shop");
  onServer(command, context, async (session, [verb, word]) => {
    const { client, output, project, world } = session;
    if (verb !== undefined && word === undefined) throw new Fault(cliFaults.usage, "a kind is required: cloud can-i VERB KIND");
    const { items = [] } = await client.permissions(project, { signal: world.signal });
    if (verb === undefined || word === undefined) {
      if (isStructured(output.format)) return output.structure({ project, items });
      return output.table(columns(output.paint.phase), items);
    }
    const permission = findPermission(items, verb, word);
    const answer =
      permission.allowed === true
        ? "yes"
        : (permission.environments ?? []).length > 0
          ? `only in these environments: ${permission.environments?.join(", ")}`
          : "no";
    if (isStructured(output.format)) await output.structure(permission);
    else output.done(answer);
    if (answer === "no") throw new ExitRequest(1);
  });
};

function columns(paint: (text: string) => string) {
  return [
    { title: "KIND", value: ({ kind = "" }: PermissionJson) => kind },
    { title: "VERB", value: ({ verb = "" }: PermissionJson) => verb },
    { title: "ALLOWED", value: ({ allowed }: PermissionJson) => (allowed === true ? "yes" : "no"), paint },
    { title: "ENVIRONMENTS", value: ({ environments = [] }: PermissionJson) => environments.join(",") },
  ];
}

function findPermission(items: readonly PermissionJson[], verb: string, word: string): PermissionJson {
  const kind = (findKind(word)?.kind ?? word).toLowerCase();
  const ofKind = items.filter((item) => item.kind?.toLowerCase() === kind);
  const found = ofKind.find((item) => item.verb === verb.toLowerCase());
  if (found !== undefined) return found;
  const known = ofKind.length === 0 ? items.map((item) => item.kind?.toLowerCase()) : ofKind.map((item) => item.verb);
  const near = didYouMean(
    ofKind.length === 0 ? kind : verb,
    known.filter((name) => name !== undefined),
  );
  throw new Fault(cliFaults.usage, `there is no permission "${verb} ${word}"${near}`);
}
