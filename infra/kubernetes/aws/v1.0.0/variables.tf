variable "cluster_name" {
  description = "Name of the cluster; what is made carries it, followed by a part of the owner's uid."
  type        = string
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,62}$", var.cluster_name))
    error_message = "The name has lower-case letters, digits and hyphens, at most 63."
  }
}

variable "region" {
  description = "Region of the cluster."
  type        = string
  validation {
    condition     = can(regex("^[a-z]{2}(-[a-z]+)+-[0-9]+$", var.region))
    error_message = "The region is written as eu-west-1."
  }
}

variable "cluster_version" {
  description = "Minor version of Kubernetes; the newest that EKS offers when null."
  type        = string
  default     = null
  validation {
    condition     = var.cluster_version == null || can(regex("^1\\.[0-9]{2,3}$", var.cluster_version))
    error_message = "The version is written as 1.34."
  }
}

variable "vpc_id" {
  description = "Network of the subnets; when given, workers are only put into subnets of it."
  type        = string
  default     = null
  validation {
    condition     = var.vpc_id == null || can(regex("^vpc-[0-9a-z]+$", var.vpc_id))
    error_message = "The network is given by its id, vpc-..."
  }
}

variable "controlplane_subnet_ids" {
  description = "Subnets of the control plane's interfaces, in at least two zones."
  type        = list(string)
  validation {
    condition     = length(distinct(var.controlplane_subnet_ids)) >= 2
    error_message = "A control plane needs subnets in two zones."
  }
  validation {
    condition     = alltrue([for id in var.controlplane_subnet_ids : can(regex("^subnet-[0-9a-z]+$", id))])
    error_message = "Subnets are given by their ids, subnet-..."
  }
}

variable "private_subnet_ids" {
  description = "Subnets of the workers."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = length(var.private_subnet_ids) + length(var.public_subnet_ids) > 0
    error_message = "Workers need a subnet."
  }
  validation {
    condition     = alltrue([for id in var.private_subnet_ids : can(regex("^subnet-[0-9a-z]+$", id))])
    error_message = "Subnets are given by their ids, subnet-..."
  }
}

variable "public_subnet_ids" {
  description = "Subnets of the workers where there are no private ones."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = alltrue([for id in var.public_subnet_ids : can(regex("^subnet-[0-9a-z]+$", id))])
    error_message = "Subnets are given by their ids, subnet-..."
  }
}

variable "public_access" {
  description = "Whether the API server can be reached from outside the network; from inside it always can."
  type        = bool
  default     = true
  nullable    = false
  validation {
    condition     = var.public_access || length(var.public_access_cidrs) == 0
    error_message = "An API server that cannot be reached from outside has no ranges that may reach it."
  }
}

variable "public_access_cidrs" {
  description = "Ranges that may reach the API server from outside; all when empty."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = alltrue([for range in var.public_access_cidrs : can(cidrhost(range, 0))])
    error_message = "The ranges are written as 192.0.2.0/24."
  }
}

variable "service_cidr" {
  description = "Address range of services; chosen by EKS when null."
  type        = string
  default     = null
  validation {
    condition     = var.service_cidr == null || can(cidrnetmask(var.service_cidr))
    error_message = "The range is IPv4, written as 172.20.0.0/16."
  }
  validation {
    condition = var.service_cidr == null || try(
      tonumber(split("/", var.service_cidr)[1]) >= 12 && tonumber(split("/", var.service_cidr)[1]) <= 24 && cidrhost(var.service_cidr, 0) == split("/", var.service_cidr)[0] &&
      can(regex("^(10\\.|172\\.(1[6-9]|2[0-9]|3[01])\\.|192\\.168\\.)", var.service_cidr)), false
    )
    error_message = "EKS takes a range of 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16 with a prefix of 12 to 24, written by its first address."
  }
}

variable "log_types" {
  description = "Logs of the control plane that are kept."
  type        = set(string)
  default     = []
  nullable    = false
  validation {
    condition     = length(setsubtract(var.log_types, ["api", "audit", "authenticator", "controllerManager", "scheduler"])) == 0
    error_message = "Logs are api, audit, authenticator, controllerManager or scheduler."
  }
}

variable "log_retention_days" {
  description = "How long logs of the control plane are kept; 0 for ever."
  type        = number
  default     = 90
  nullable    = false
  validation {
    condition     = contains([0, 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653], var.log_retention_days)
    error_message = "CloudWatch keeps logs for 0, 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288 or 3653 days."
  }
}

variable "kms_key_arn" {
  description = "Key that encrypts secrets of the cluster; one is made when null."
  type        = string
  default     = null
  validation {
    condition     = var.kms_key_arn == null || can(regex("^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/.+$", var.kms_key_arn))
    error_message = "The key is given by its ARN; an alias is not enough."
  }
}

variable "roles" {
  description = "Roles to use instead of making them; those of pods trust pods.eks.amazonaws.com."
  type = object({
    cluster                  = optional(string)
    nodes                    = optional(string)
    ebs_csi                  = optional(string)
    load_balancer_controller = optional(string)
    karpenter                = optional(string)
    karpenter_nodes          = optional(string)
  })
  default  = {}
  nullable = false
  validation {
    condition     = alltrue([for arn in values(var.roles) : arn == null || can(regex("^arn:aws[a-z-]*:iam::[0-9]{12}:role/.+$", arn))])
    error_message = "Roles are given by their ARNs."
  }
}

variable "access_entries" {
  description = "Roles and users, by ARN, that may enter the cluster beside whoever creates it: by a policy of EKS, everywhere or in namespaces, or as members of groups."
  type = map(object({
    policy     = optional(string)
    namespaces = optional(set(string), [])
    groups     = optional(set(string), [])
  }))
  default  = {}
  nullable = false
  validation {
    condition     = alltrue([for arn in keys(var.access_entries) : can(regex("^arn:aws[a-z-]*:iam::[0-9]{12}:(role|user)/.+$", arn))])
    error_message = "Roles and users are given by their ARNs."
  }
  validation {
    condition     = alltrue([for entry in values(var.access_entries) : entry.policy == null || contains(["cluster-admin", "admin", "edit", "view"], coalesce(entry.policy, "view"))])
    error_message = "Policies are cluster-admin, admin, edit or view."
  }
  validation {
    condition     = alltrue([for entry in values(var.access_entries) : length(entry.namespaces) == 0 || contains(["admin", "edit", "view"], coalesce(entry.policy, "none"))])
    error_message = "Namespaces go with the policies admin, edit or view."
  }
}

variable "addons" {
  description = "Add-ons that EKS manages, by their names there. Without a version they get what EKS installs by default in the version that is asked for; whoever wants them to stay gives back addon_versions and addon_minors."
  type = map(object({
    version       = optional(string)
    configuration = optional(string)
    # The add-on is installed and stays when there is no node any more.
    installed = optional(bool, false)
    # The Kubernetes minor version for which its version was chosen, if that differs from the requested one.
    chosen_for = optional(string)
  }))
  default = {
    vpc-cni                = {}
    kube-proxy             = {}
    coredns                = {}
    aws-ebs-csi-driver     = {}
    eks-pod-identity-agent = {}
  }
  nullable = false
  validation {
    condition     = alltrue([for addon in values(var.addons) : addon.version == null || can(regex("^v[0-9]+\\.[0-9]+\\.[0-9]+-eksbuild\\.[0-9]+$", addon.version))])
    error_message = "Versions of add-ons are written as v1.20.4-eksbuild.1."
  }
  validation {
    condition     = alltrue([for addon in values(var.addons) : addon.configuration == null || can(keys(jsondecode(addon.configuration)))])
    error_message = "Configurations of add-ons are JSON objects."
  }
  validation {
    condition     = alltrue([for addon in values(var.addons) : addon.chosen_for == null || can(regex("^1\\.[0-9]{2,3}$", addon.chosen_for))])
    error_message = "Versions that those of add-ons were chosen for are written as 1.34."
  }
}

variable "pod_identities" {
  description = "Roles that service accounts act as, by namespace/name; the roles trust pods.eks.amazonaws.com."
  type        = map(string)
  default     = {}
  nullable    = false
  validation {
    condition     = alltrue([for account in keys(var.pod_identities) : can(regex("^[a-z0-9][-a-z0-9]{0,62}/[a-z0-9][-.a-z0-9]{0,252}$", account))])
    error_message = "Service accounts are written as namespace/name."
  }
  validation {
    condition     = alltrue([for arn in values(var.pod_identities) : can(regex("^arn:aws[a-z-]*:iam::[0-9]{12}:role/.+$", arn))])
    error_message = "Roles are given by their ARNs."
  }
}

variable "load_balancer_controller" {
  description = "Whether there is a role for the AWS load balancer controller."
  type        = bool
  default     = true
  nullable    = false
}

variable "karpenter" {
  description = "What Karpenter needs: its role, a role for its nodes, and the queue that tells it of machines that are about to go."
  type = object({
    enabled         = bool
    namespace       = optional(string, "kube-system")
    service_account = optional(string, "karpenter")
  })
  default  = { enabled = false }
  nullable = false
  validation {
    condition     = alltrue([for name in [var.karpenter.namespace, var.karpenter.service_account] : can(regex("^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$", name))])
    error_message = "Namespace and service account of Karpenter are names of Kubernetes."
  }
}

variable "node_pools" {
  description = "All node pools by name."
  type = map(object({
    instance_type = string
    min           = number
    desired       = number
    max           = number
    capacity      = optional(string, "on-demand")
    disk_size_gib = optional(number, 20)
    zones         = optional(list(string), [])
    labels        = optional(map(string), {})
    taints = optional(list(object({
      key    = string
      value  = optional(string)
      effect = string
    })), [])
  }))
  default  = {}
  nullable = false
  validation {
    condition     = alltrue([for name in keys(var.node_pools) : can(regex("^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$", name))])
    error_message = "Names of pools have lower-case letters, digits and hyphens, at most 63."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : pool.min >= 0 && pool.min <= pool.desired && pool.desired <= pool.max && pool.max >= 1])
    error_message = "The sizes of a pool satisfy 0 <= min <= desired <= max, and max is at least 1."
  }
  validation {
    condition     = alltrue(flatten([for pool in values(var.node_pools) : [for number in [pool.min, pool.desired, pool.max, pool.disk_size_gib] : floor(number) == number]]))
    error_message = "The sizes of a pool and of its disks are whole numbers."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : can(regex("^[a-z][a-z0-9-]*\\.[a-z0-9-]+$", pool.instance_type))])
    error_message = "Types of machines are written as t3.medium."
  }
  validation {
    condition     = alltrue(flatten([for pool in values(var.node_pools) : [for zone in pool.zones : can(regex("^${var.region}([a-z]|-[a-z0-9-]+)$", zone))]]))
    error_message = "The zones of a pool are of the cluster's region."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : contains(["on-demand", "spot"], pool.capacity)])
    error_message = "Capacity is on-demand or spot."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : pool.disk_size_gib >= 1 && pool.disk_size_gib <= 16384])
    error_message = "A disk has 1 to 16384 GiB."
  }
  validation {
    condition     = alltrue(flatten([for pool in values(var.node_pools) : [for taint in pool.taints : contains(["NoSchedule", "PreferNoSchedule", "NoExecute"], taint.effect)]]))
    error_message = "Effects of taints are NoSchedule, PreferNoSchedule or NoExecute."
  }
  validation {
    condition     = alltrue(flatten([for pool in values(var.node_pools) : [for taint in pool.taints : length(taint.key) >= 1 && length(taint.key) <= 63 && length(coalesce(taint.value, "-")) <= 63]]))
    error_message = "EKS takes keys of taints of 1 to 63 characters, and values of at most 63."
  }
}

variable "owner" {
  description = "Whom this belongs to: everything is tagged with it, and found by it."
  type = object({
    project = string
    entity  = string
  })
  validation {
    condition     = length(replace(var.owner.entity, "-", "")) >= 4
    error_message = "The owner's uid is too short to make names unique."
  }
}

variable "tags" {
  description = "Tags of the user's own."
  type        = map(string)
  default     = {}
  nullable    = false
  validation {
    # AWS allows 50 tags, some of which the platform sets.
    condition     = length(var.tags) <= 40 && alltrue([for key, value in var.tags : length(key) >= 1 && length(key) <= 128 && length(coalesce(value, "-")) <= 256])
    error_message = "There are at most 40 tags, of 128 characters with values of 256."
  }
  validation {
    condition     = alltrue([for key in keys(var.tags) : !startswith(key, "cloudwright:") && !startswith(key, "aws:")])
    error_message = "Tags that begin with cloudwright: or aws: are not the user's own."
  }
}
