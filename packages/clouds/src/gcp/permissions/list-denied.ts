import { trimEnd } from "@cloudwright/platform/trim-end";
import type { GcpApi } from "../api.ts";

const permissionsPerCall = 100;

/**
 * Lists the permissions that the credentials do not have in the project. The call itself requires no permissions. Permissions that Google
 * Cloud cannot test for a project are omitted.
 */
export async function listDeniedPermissions(api: GcpApi, permissions: readonly string[]): Promise<string[]> {
  const denied: string[] = [];
  for (let from = 0; from < permissions.length; from += permissionsPerCall) {
    denied.push(...(await testSome(api, permissions.slice(from, from + permissionsPerCall))));
  }
  return denied;
}

async function testSome(api: GcpApi, permissions: readonly string[]): Promise<readonly string[]> {
  const path = `projects/${await api.getProject()}:testIamPermissions`;
  let tested = permissions;
  for (;;) {
    try {
      const { permissions: held = [] } = await api.call<{ readonly permissions?: readonly string[] }>("test permissions", {
        service: "resource_manager",
        path,
        method: "POST",
        body: { permissions: tested },
      });
      return tested.filter((permission) => !held.includes(permission));
    } catch (error) {
      const untestable = trimEnd(/Permission (\S+) is not valid/.exec((error as Error).message)?.[1] ?? "", ".'\"");
      if (!tested.includes(untestable)) throw error;
      tested = tested.filter((permission) => permission !== untestable);
    }
  }
}
