/** The text of `--help`. */
export const helpText = `cloudwright-agent [run|join|deployer|fetch-terraform] [--demo] [--help]

  run        join if need be, then lease tasks and do them (unless said otherwise)
  join       join with the one-time token and end
  deployer   serve handlers to agents over gRPC
  fetch-terraform   download and verify a Terraform into the home, where there is none on PATH

  --demo     demonstration handlers stand for all task types; nothing real is done

Settings (environment):
  CLOUDWRIGHT_SERVER                 address of the control plane, http://127.0.0.1:8480 unless said
  CLOUDWRIGHT_AGENT_NAME             agent-<machine> unless said
  CLOUDWRIGHT_AGENT_DIR              identity and work directories, <home>/agent unless said
  CLOUDWRIGHT_JOIN_TOKEN_FILE        file that holds the one-time token; or CLOUDWRIGHT_JOIN_TOKEN
  CLOUDWRIGHT_AGENT_LABELS           what it can reach: cloud=*;region=west*      (cloud=*;account=*;region=*)
  CLOUDWRIGHT_AGENT_SLOTS            tasks at once: long=4,short=8
  CLOUDWRIGHT_AGENT_STOP_SECONDS     how long tasks may go on after SIGTERM (20)
  CLOUDWRIGHT_AGENT_CANCEL_SECONDS   how long a program has between SIGINT and SIGKILL (60)
  CLOUDWRIGHT_AGENT_PLUGINS          modules with stacks of your own, by commas: /srv/plugins/local.mjs
  CLOUDWRIGHT_AGENT_ADDONS           a folder with further add-ons, one in each YAML file
  CLOUDWRIGHT_AGENT_CHARTS           a folder with packed charts, name-version.tgz
  CLOUDWRIGHT_AGENT_SIMULATOR        who keeps simulated clouds: server, for all agents; files, this one for itself (server)
  CLOUDWRIGHT_DEPLOYERS              deployers as services, by prefix: network=http://127.0.0.1:8481
  CLOUDWRIGHT_DEPLOYER_TOKEN_FILE    what agent and deployer prove themselves with; or CLOUDWRIGHT_DEPLOYER_TOKEN
  CLOUDWRIGHT_DEPLOYER_LISTEN        where deployer listens (127.0.0.1:8481)
  CLOUDWRIGHT_DEMO_HANDLERS          1: as --demo
  CLOUDWRIGHT_DEMO_JOURNAL           file that the demonstration programs write their starts and ends to
  CLOUDWRIGHT_LOG_LEVEL              trace, debug, info, warn, error, silent (info)
`;
