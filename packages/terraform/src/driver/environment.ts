import { Fault, type Secret } from "@cloudwright/platform";
import { terraformFaults } from "../faults.ts";
import type { Backend } from "./backends/backend.ts";
import { renderReattach, type ProviderSources } from "./cli-config.ts";

export interface EnvironmentParts {
  readonly cliConfigFile: string;
  /** Home directory of the run, unless `environment` sets HOME. */
  readonly homeDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly secretEnvironment: Readonly<Record<string, Secret>>;
  readonly backend: Backend | undefined;
  readonly sources: ProviderSources;
  readonly secretVariables: Readonly<Record<string, string>>;
  /** Paths of the backend's secret files, keyed by environment variable. */
  readonly secretFiles: Readonly<Record<string, string>>;
}

/** Renders a run's environment variables. Rejects variables that change how Terraform works, because the driver has options for these. */
export function renderEnvironment(parts: EnvironmentParts): Record<string, string> {
  const { backend, sources, environment, secretEnvironment } = parts;
  for (const name of [...Object.keys(environment), ...Object.keys(secretEnvironment)]) {
    if (/^(TF_|TOFU_)/.test(name) || name.includes("=") || name.includes("\0")) {
      throw new Fault(terraformFaults.bad_option, `the environment of a run cannot contain ${JSON.stringify(name)}`);
    }
  }
  const ofBackend = { ...backend?.environment, ...reveal(backend?.secretEnvironment ?? {}), ...parts.secretFiles };
  for (const name of Object.keys(ofBackend)) {
    // One value would silently override the other.
    if (name in environment || name in secretEnvironment) {
      throw new Fault(terraformFaults.bad_option, `both the run and its state backend set ${name}`);
    }
  }
  const variables = {
    // A run must use only its own credentials, not those in the agent's home directory.
    HOME: parts.homeDirectory,
    // With Go's defaults, a command collects garbage many times while it starts, which takes a quarter of its CPU time. With these values, a
    // small process almost never collects garbage. A process that reaches the memory limit collects more often, so large providers need no
    // more memory than with a GOGC of 200. A run's environment can override both values.
    GOGC: "800",
    GOMEMLIMIT: "1GiB",
    ...environment,
    ...reveal(secretEnvironment),
    ...ofBackend,
    ...parts.secretVariables,
    ...(sources.reattach === undefined ? {} : { TF_REATTACH_PROVIDERS: renderReattach(sources.reattach) }),
    TF_CLI_CONFIG_FILE: parts.cliConfigFile,
    TF_IN_AUTOMATION: "1",
    TF_INPUT: "0",
    CHECKPOINT_DISABLE: "1",
    // Providers may be Node programs, and loading extra certificates costs each of them 90 ms. An empty value counts as unset.
    NODE_EXTRA_CA_CERTS: "",
  };
  const broken = Object.entries(variables).find(([, value]) => value.includes("\0"));
  if (broken !== undefined) throw new Fault(terraformFaults.bad_option, `the value of ${broken[0]} contains a NUL character`);
  return variables;
}

function reveal(secrets: Readonly<Record<string, Secret>>): Record<string, string> {
  return Object.fromEntries(Object.entries(secrets).map(([name, secret]) => [name, secret.reveal()]));
}
