import { objectOf, textsOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { listRecords } from "../../../api/read-records.ts";
import { textOf } from "../../../values/read-value.ts";
import { hash, projectNumber } from "../../place.ts";
import { invalid, refuse } from "../errors.ts";

/** Operations of Resource Manager and Service Usage. */
export const projectOperations: readonly ApiOperation[] = [
  {
    name: "cloudresourcemanager.projects.get",
    match: { method: "GET", path: "/v1/projects/{project}" },
    async run(call) {
      const project = call.parameters["project"] ?? "";
      const createTime = "2026-01-01T00:00:00.000Z";
      const content = {
        projectNumber: projectNumber(project),
        projectId: project,
        lifecycleState: "ACTIVE",
        name: project,
        createTime,
      };
      return { content };
    },
  },
  {
    name: "cloudresourcemanager.projects.testIamPermissions",
    match: { method: "POST", path: "/v1/projects/{project}:testIamPermissions" },
    async run(call) {
      const permissions = textsOf(objectOf(call.body)["permissions"]);
      if (permissions.length > 100) refuse(invalid("At most 100 permissions can be tested in one request."));
      const wrong = permissions.find((each) => !/^[a-z][a-z0-9-]*(\.[A-Za-z0-9-]+){2,}$/.test(each));
      if (wrong !== undefined) refuse(invalid(`Permission ${wrong.slice(0, 200)} is not valid for this resource.`));
      return { content: { permissions } };
    },
  },
  {
    name: "cloudresourcemanager.projects.getIamPolicy",
    match: { method: "POST", path: "/v1/projects/{project}:getIamPolicy" },
    touches: { type: "google_project_iam_member", operation: "read" },
    async run(call) {
      const members = (await listRecords(call, "google_project_iam_member")).filter(
        ({ attributes }) => attributes["project"] === call.parameters["project"],
      );
      const byRole = Map.groupBy(members, ({ attributes }) => textOf(attributes["role"]));
      const bindings = [...byRole].map(([role, records]) => ({
        role,
        members: records.map(({ attributes }) => textOf(attributes["member"])).toSorted(),
      }));
      return { content: { version: 1, etag: `Bw${hash(JSON.stringify(bindings)).slice(0, 9)}=`, bindings } };
    },
  },
  {
    name: "serviceusage.services.batchGet",
    match: { method: "GET", path: "/v1/projects/{project}/services:batchGet" },
    run: async (call) => ({
      content: {
        services: call.query
          .getAll("names")
          .slice(0, 30)
          .map((name) => service(call, name)),
      },
    }),
  },
  {
    name: "serviceusage.services.get",
    match: { method: "GET", path: "/v1/projects/{project}/services/{service}" },
    run: async (call) => ({ content: service(call, call.parameters["service"] ?? "") }),
  },
];

/** All services are enabled, because the simulation does not distinguish them. */
function service({ parameters }: ApiCall, name: string): Record<string, unknown> {
  const id = name.split("/").at(-1) ?? "";
  const parent = `projects/${projectNumber(parameters["project"] ?? "")}`;
  return { name: `${parent}/services/${id}`, config: { name: id, title: id }, state: "ENABLED", parent };
}
