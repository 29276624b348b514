import type { DriftJson } from "@cloudwright/contract/gen/cloudwright/v1/drift_pb.ts";
import { json, page, problem, type Asked } from "./wire.ts";

/**
 * Handles requests for drift reports. Returns undefined for other paths. `openOperation` creates the operation that accepts or corrects a
 * report, and returns its name.
 */
export function answerDrifts(
  drifts: Map<string, DriftJson>,
  { method, path, query }: Asked,
  openOperation: (entityUid: string, verb: "update" | "correct" | "check") => string | undefined,
): Response | undefined {
  const match = /^((\/v1\/projects\/[^/]+)\/drifts)(?:\/([^/:]+)(?::(\w+))?)?$/.exec(path);
  if (match === null) return undefined;
  const [, collection = "", project = "", uid, verb = ""] = match;
  const all = [...drifts]
    .filter(([at]) => at.startsWith(`${collection}/`))
    .toSorted(([, a], [, b]) => ((a.foundAt ?? "") < (b.foundAt ?? "") ? 1 : -1));
  if (uid === undefined) {
    const asked = ({ entityUid, state }: DriftJson): boolean =>
      [null, entityUid].includes(query.get("entity")) && (query.get("all") === "true" || state === "OPEN");
    return page(all.map(([, drift]) => drift).filter(asked), query);
  }
  if (verb === "check") {
    const name = openOperation(all.find(([, one]) => one.uid === uid)?.[1].entityUid ?? uid, "check");
    if (name === undefined) return problem(404, "api.not_found", `Drift "${uid}" not found`);
    const answer = json(202, { metadata: { name } });
    answer.headers.set("operation-location", `${project}/operations/${name}`);
    return answer;
  }
  const [at, drift] = all.find(([, one]) => one.uid === uid || one.entityUid === uid) ?? [];
  if (at === undefined || drift === undefined) return problem(404, "api.not_found", `Drift "${uid}" not found`);
  if (method === "GET") return json(200, drift);
  if (drift.state !== "OPEN") return problem(409, "api.drift_ended", `the report is ${drift.state ?? ""}`);
  if (verb === "accept" && drift.items?.some(({ action }) => action === "delete") === true)
    return problem(409, "api.drift_not_acceptable", "a resource that is gone cannot be accepted");
  const operation = openOperation(drift.entityUid ?? "", verb === "accept" ? "update" : "correct");
  const after = verb === "accept" ? { ...drift, state: "ACCEPTED" } : drift;
  drifts.set(at, after);
  const answer = json(200, after);
  answer.headers.set("operation-location", `${project}/operations/${operation}`);
  return answer;
}
