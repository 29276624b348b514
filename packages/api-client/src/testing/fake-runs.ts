import type { RunJson, RunPlanJson } from "@cloudwright/contract/gen/cloudwright/v1/run_pb.ts";
import { json, page, problem, type Asked } from "./wire.ts";

/** A run and its plan, as stored by the fake server. */
export interface FakeRun extends Pick<RunPlanJson, "changes" | "drift"> {
  run: RunJson;
}

/** Handles requests for runs. Returns undefined for other paths. */
export function answerRuns(runs: ReadonlyMap<string, FakeRun>, { method, path, query, body }: Asked): Response | undefined {
  const match = /^(\/v1\/projects\/[^/]+\/runs)(?:\/([^/:]+)(?:[/:](\w+))?)?$/.exec(path);
  if (match === null) return undefined;
  const [, collection = "", uid, what = ""] = match;
  if (uid === undefined) {
    const asked = ({ entityUid, state }: RunJson): boolean =>
      [null, entityUid].includes(query.get("entity")) && [null, state].includes(query.get("state"));
    const all = [...runs].filter(([at]) => at.startsWith(`${collection}/`)).map(([, { run }]) => run);
    return page(
      all.filter(asked).toSorted((a, b) => ((a.uid ?? "") < (b.uid ?? "") ? 1 : -1)),
      query,
    );
  }
  const found = runs.get(`${collection}/${uid}`);
  if (found === undefined) return problem(404, "api.not_found", `Run "${uid}" not found`);
  if (what === "plan") return json(200, { changes: [], drift: [], ...found });
  return method === "GET" ? json(200, found.run) : judge(found, what, (body as { comment?: string }).comment ?? "");
}

function judge(found: FakeRun, verb: string, comment: string): Response {
  const { state = "" } = found.run;
  if (state !== "NEEDS_APPROVAL" && !(verb === "discard" && state === "PLANNED"))
    return problem(409, "api.run_not_open", `the run is ${state}`);
  found.run =
    verb === "approve"
      ? { ...found.run, state: "PLANNED", approvedBy: "admin", comment }
      : { ...found.run, state: "DISCARDED", discardedBy: "admin", comment };
  return json(200, found.run);
}
