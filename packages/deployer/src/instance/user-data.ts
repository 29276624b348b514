import type { Secret } from "@cloudwright/platform";
import type { JsonObject } from "../task.ts";

/** Name of the observed fact that contains an instance's user data. */
export const userDataFact = "userData";

/** Reads an instance's user data from its secrets. Returns an empty string if the instance has none. */
export function readUserData(secrets: Secret<Readonly<Record<string, string>>>): JsonObject {
  const { "spec.userData": userData } = secrets.reveal();
  return userData === undefined ? {} : { [userDataFact]: userData };
}
