import { startTestApi, type Person, type TestApi } from "./test-api.ts";
import { seedProject, type Seed, type Seeds } from "./seed-project.ts";

/** Two tenants: Ada owns the project `ours` and Bob owns `theirs`. Both projects contain one entity of every kind. */
export interface TwoProjects {
  readonly api: TestApi;
  readonly ada: Person;
  readonly bob: Person;
  readonly ours: Seeds;
  readonly theirs: Seeds;
}

/** Starts a server with two tenants. */
export async function startTwoProjects(): Promise<TwoProjects> {
  const api = await startTestApi();
  const [ada, ours] = await createTenant(api, "ada", "ours");
  const [bob, theirs] = await createTenant(api, "bob", "theirs");
  return { api, ada, bob, ours, theirs };
}

async function createTenant(api: TestApi, name: string, project: string): Promise<[Person, Seeds]> {
  const uid = await api.createProject(project);
  const person = await api.createPerson(name, [{ project, role: "owner" }]);
  const key = (await api.must("GET", `/v1/apikeys/${name}-key`)).body.metadata;
  const own: [string, Seed][] = [
    ["Project", { name: project, uid }],
    ["ApiKey", { name: `${name}-key`, uid: key.uid ?? "" }],
  ];
  return [person, new Map([...(await seedProject(api, project, { suffix: project, user: person })), ...own])];
}
