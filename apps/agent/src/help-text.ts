/** The text of `--help`. */
export const helpText = `cloudwright-agent [run|join|deployer|fetch-terraform] [--demo] [--help]

  run               join if necessary, then lease and run tasks (default)
  join              join with the one-time token and exit
  deployer          serve handlers to agents over gRPC
  fetch-terraform   download and verify Terraform into the home, if there is none on PATH

  --demo            use demonstration handlers for all task types; nothing real is done

Settings (environment variables, with their defaults in parentheses):
  CLOUDWRIGHT_SERVER                 URL of the control plane (http://127.0.0.1:8480)
  CLOUDWRIGHT_AGENT_NAME             name of the agent (agent-<machine>)
  CLOUDWRIGHT_AGENT_DIR              directory of its identity and its work (<home>/agent)
  CLOUDWRIGHT_JOIN_TOKEN_FILE        file with the one-time token; or CLOUDWRIGHT_JOIN_TOKEN
  CLOUDWRIGHT_AGENT_LABELS           what the agent can reach (cloud=*;account=*;region=*)
  CLOUDWRIGHT_AGENT_SLOTS            number of concurrent tasks (long=4,short=8)
  CLOUDWRIGHT_AGENT_STOP_SECONDS     how long tasks may continue after SIGTERM (20)
  CLOUDWRIGHT_AGENT_CANCEL_SECONDS   time between SIGINT and SIGKILL for a program (60)
  CLOUDWRIGHT_AGENT_PLUGINS          modules with your own stacks, comma-separated: /srv/plugins/local.mjs
  CLOUDWRIGHT_AGENT_ADDONS           folder with further add-ons, one YAML file each
  CLOUDWRIGHT_AGENT_CHARTS           folder with packed charts, name-version.tgz
  CLOUDWRIGHT_AGENT_SIMULATOR        where simulated clouds are kept: server (for all agents) or files (for this agent) (server)
  CLOUDWRIGHT_DEPLOYERS              remote deployers by task prefix: network=http://127.0.0.1:8481
  CLOUDWRIGHT_DEPLOYER_TOKEN_FILE    file with the secret that agent and deployer share; or CLOUDWRIGHT_DEPLOYER_TOKEN
  CLOUDWRIGHT_DEPLOYER_LISTEN        address that the deployer listens on (127.0.0.1:8481)
  CLOUDWRIGHT_DEMO_HANDLERS          1: same as --demo
  CLOUDWRIGHT_DEMO_JOURNAL           file in which demonstration programs record their start and end
  CLOUDWRIGHT_LOG_LEVEL              trace, debug, info, warn, error or silent (info)
`;
