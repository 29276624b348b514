import type { Database } from "../pool.ts";
import { wakeSql } from "../work.ts";

/** Makes entities due for a pass immediately. The caller must notify the wake signal after the commit. */
export async function wakeEntities(database: Database, uids: readonly string[]): Promise<void> {
  await database.query({ name: "wake-entities", text: "select wake_entities($1, now())", values: [uids] });
}

const inProject = wakeSql("select uid, now(), project from entity where project = $1 and kind = any($2) order by uid");
const everywhere = wakeSql("select uid, now(), project from entity where kind = any($1) order by uid");

/**
 * Makes all entities of these kinds due for a pass immediately, either in the given project or, if `project` is undefined, in all projects.
 */
export async function wakeKinds(database: Database, project: string | undefined, kinds: readonly string[]): Promise<void> {
  await database.query(
    project === undefined
      ? { name: "wake-everywhere", text: everywhere, values: [kinds] }
      : { name: "wake-project", text: inProject, values: [project, kinds] },
  );
}
