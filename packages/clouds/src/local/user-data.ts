import type { InstanceStart, InstanceUserData } from "../library/instance-start.ts";

/** User of instances whose spec does not name one. The host creates it. */
const defaultUser = "admin";

/** Renders the start of an instance on the user's machine. The host itself adds the SSH keys and the user to the user data. */
export function renderLocalUserData({ user, userData }: InstanceStart): InstanceUserData {
  return { user: user === "" ? defaultUser : user, userData };
}
