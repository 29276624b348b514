import { createUid, systemClock } from "@cloudwright/platform";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../testing/index.ts";
import { createPool, type Pool } from "../pool.ts";
import { claimDue, settleDue } from "./due.ts";

let database: TestDatabase;
let pool: Pool;
const projects = new Map<string, string>();

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connection);
});
beforeEach(async () => {
  projects.clear();
  await pool.query({ text: "delete from due", values: [] });
});
afterAll(async () => {
  await pool.close();
  await database.drop();
});

/** Makes several entities of a project due. The first has been due for the longest time. */
async function makeDue(project: string, count: number, sinceSeconds: number): Promise<void> {
  const uids = Array.from({ length: count }, () => createUid(systemClock.now()));
  for (const uid of uids) projects.set(uid, project);
  const text = `insert into due (entity_uid, due_at, project)
    select uid, now() - make_interval(secs => $2 - nth * 0.001), $3 from unnest($1::uuid[]) with ordinality as u (uid, nth)`;
  await pool.query({ text, values: [uids, sinceSeconds, project] });
}

async function claimProjects(limit: number, from = pool): Promise<string[]> {
  return (await claimDue(from, limit, 60)).map(({ uid }) => projects.get(uid) ?? "").toSorted();
}

describe("M051 due entities", () => {
  test("are all claimed at once if there are few, and not claimed again for a while", async () => {
    await makeDue("a", 3, 10);
    expect(await claimProjects(8)).toEqual(["a", "a", "a"]);
    expect(await claimProjects(8)).toEqual([]);
  });

  test("M044 a project with many due entities does not delay other projects", async () => {
    await makeDue("big", 500, 100);
    await makeDue("small-1", 2, 10);
    await makeDue("small-2", 2, 5);
    expect(await claimProjects(6)).toEqual(["big", "big", "small-1", "small-1", "small-2", "small-2"]);
    expect(await claimProjects(6)).toEqual(["big", "big", "big", "big", "big", "big"]);
  });

  test("M044 with one free slot the projects take turns", async () => {
    for (const project of ["a", "b", "c"]) await makeDue(project, 50, project === "b" ? 1000 : 10);
    const claimed: string[] = [];
    for (let nth = 0; nth < 9; nth += 1) claimed.push(...(await claimProjects(1)));
    expect(claimed.toSorted()).toEqual(["a", "a", "a", "b", "b", "b", "c", "c", "c"]);
  });

  test("two concurrent claims never return the same entity", async () => {
    await makeDue("a", 40, 10);
    await makeDue("b", 40, 10);
    const claims = await Promise.all(Array.from({ length: 8 }, () => claimDue(pool, 20, 60)));
    const uids = claims.flat().map(({ uid }) => uid);
    expect(new Set(uids).size).toBe(uids.length);
  });

  test("that are woken while they are processed are due again at once", async () => {
    await makeDue("a", 1, 10);
    const [due] = await claimDue(pool, 1, 60);
    await pool.query({ text: "select wake_entities(array[$1::uuid], now())", values: [due?.uid] });
    expect(await settleDue(pool, due ?? { uid: "", wakes: "" }, 600)).toBe(false);
    expect(await claimProjects(8)).toEqual(["a"]);
  });
});
