import { systemClock } from "@cloudwright/platform/clock";
import type { Secret } from "@cloudwright/platform/secret";
import type { LibraryClock } from "../../library/call-options.ts";
import { checkOption } from "../../library/check-request.ts";
import { untilAborted } from "../../library/until-aborted.ts";
import { createGcpApi, type GcpApi } from "../api.ts";
import { createCredentialSource } from "../credentials.ts";
import { toLibraryFault } from "../errors.ts";
import { readEndpoints, readLibraryAccess, type GcpLibraryOptions } from "./options.ts";
import { renderOptions } from "./request-options.ts";

/** The state that the library's modules share: the API client, credentials, the clock and the factory's options. */
export interface GcpContext {
  readonly project: string;
  readonly options: Pick<GcpLibraryOptions, "region" | "zone" | "tags">;
  readonly clock: LibraryClock;
  /** Returns an access token for the client's requests. */
  getToken(signal: AbortSignal | undefined): Promise<Secret>;
  readonly api: Pick<GcpApi, "call" | "find" | "listPages">;
}

/** Creates the shared context. Sends no requests and does not load Google's library. */
export function createGcpContext(options: GcpLibraryOptions): GcpContext {
  const { projectId, region, zone, tags, clock = systemClock, budget, maxAttempts = 4, caPem, workloadIdentity } = options;
  checkOption("gcp", "createGcp", "projectId", projectId);
  const endpoints = readEndpoints(options);
  const access = readLibraryAccess(options, clock);
  const authorities = caPem === undefined ? {} : { caPem };
  const source = createCredentialSource(
    { clock, openAccess: async () => access },
    {
      endpoints,
      account: projectId,
      ...authorities,
      ...(workloadIdentity === undefined ? {} : { identityTokenFile: workloadIdentity.tokenFile }),
    },
  );
  const api = createGcpApi(source, {
    region: region ?? "",
    endpoints,
    ...authorities,
    renderOptions: (call) => renderOptions({ clock, budget, maxAttempts }, call),
    toFault: toLibraryFault,
  });
  return {
    project: projectId,
    options: {
      ...(region === undefined ? {} : { region }),
      ...(zone === undefined ? {} : { zone }),
      ...(tags === undefined ? {} : { tags }),
    },
    clock,
    async getToken(signal) {
      signal?.throwIfAborted();
      try {
        return (await untilAborted(source.get(), signal)).token;
      } catch (error) {
        signal?.throwIfAborted();
        throw toLibraryFault(error, "issue an access token");
      }
    },
    api,
  };
}
