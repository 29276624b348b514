import { Secret } from "@cloudwright/platform/secret";
import { refuseRequest } from "../../library/errors.ts";
import type { AwsAccess } from "../account-access.ts";
import type { AwsEndpoints } from "../endpoints.ts";
import type { AwsKeys, AwsLibraryOptions } from "./options.ts";

/** Reads the credentials in the options. Throws `clouds.invalid` if they are incomplete or contradict each other. */
export function readLibraryAccess(options: AwsLibraryOptions): AwsAccess {
  const { accessKeyId, secretAccessKey, sessionToken, webIdentity, credentials, assumeRole } = options;
  const hasKeys = accessKeyId !== undefined || secretAccessKey !== undefined || sessionToken !== undefined;
  if ([hasKeys, webIdentity !== undefined, credentials !== undefined].filter(Boolean).length > 1)
    throw refuseRequest("aws", "set only one of accessKeyId, webIdentity and credentials");
  if (webIdentity !== undefined && assumeRole !== undefined)
    throw refuseRequest("aws", "set the role in webIdentity, or use assumeRole with other credentials");
  const role =
    assumeRole === undefined
      ? {}
      : {
          role: {
            arn: assumeRole.roleArn,
            ...(assumeRole.externalId === undefined ? {} : { externalId: new Secret(assumeRole.externalId) }),
          },
        };
  if (webIdentity !== undefined) return { first: { by: "webIdentity" }, role: { arn: webIdentity.roleArn } };
  if (credentials !== undefined) return { first: { by: "provider", get: async () => hide(await credentials()) }, ...role };
  if (!hasKeys) return { first: { by: "agent" }, ...role };
  if (!accessKeyId || !secretAccessKey)
    throw refuseRequest("aws", "accessKeyId and secretAccessKey are required together; the session token alone is not enough");
  const keys = hide({ accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) });
  return { first: { by: "keys", ...keys }, ...role };
}

function hide({ accessKeyId, secretAccessKey, sessionToken, expiresAt }: AwsKeys) {
  return {
    accessKeyId,
    secretAccessKey: new Secret(secretAccessKey),
    ...(sessionToken === undefined ? {} : { sessionToken: new Secret(sessionToken) }),
    ...(expiresAt === undefined ? {} : { expiresAtMs: expiresAt.getTime() }),
  };
}

/** Converts the endpoint options to the environment variables of the AWS SDKs. */
export function readEndpoints({ endpoints = {} }: AwsLibraryOptions): AwsEndpoints {
  const { all, ...services } = endpoints;
  const named = Object.entries(services).flatMap(([name, url]) =>
    url === undefined ? [] : [[`AWS_ENDPOINT_URL_${name.toUpperCase()}`, url]],
  );
  return { ...(all === undefined ? {} : { AWS_ENDPOINT_URL: all }), ...(Object.fromEntries(named) as Record<string, string>) };
}
