variable "cluster_name" {
  description = "Name of the cluster. Resource names consist of it and a part of the owner's uid."
  type        = string
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,62}$", var.cluster_name))
    error_message = "The name must start with a letter and consist of at most 63 lower-case letters, digits and hyphens."
  }
}

variable "region" {
  description = "Region of the cluster."
  type        = string
  validation {
    condition     = can(regex("^[a-z]{2}(-[a-z]+)+-[0-9]+$", var.region))
    error_message = "The region must look like eu-west-1."
  }
}

variable "cluster_version" {
  description = "Kubernetes minor version; null selects the latest version that EKS offers."
  type        = string
  default     = null
  validation {
    condition     = var.cluster_version == null || can(regex("^1\\.[0-9]{2,3}$", var.cluster_version))
    error_message = "The Kubernetes version must look like 1.34."
  }
}

variable "vpc_id" {
  description = "Id of the VPC; if set, workers are placed only in subnets of this VPC."
  type        = string
  default     = null
  validation {
    condition     = var.vpc_id == null || can(regex("^vpc-[0-9a-z]+$", var.vpc_id))
    error_message = "The network must be an id that starts with vpc-."
  }
}

variable "controlplane_subnet_ids" {
  description = "Ids of the subnets for the control plane's network interfaces, in at least two zones."
  type        = list(string)
  validation {
    condition     = length(distinct(var.controlplane_subnet_ids)) >= 2
    error_message = "The control plane requires subnets in at least two zones."
  }
  validation {
    condition     = alltrue([for id in var.controlplane_subnet_ids : can(regex("^subnet-[0-9a-z]+$", id))])
    error_message = "Subnets must be ids that start with subnet-."
  }
}

variable "private_subnet_ids" {
  description = "Ids of the private subnets for workers."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = length(var.private_subnet_ids) + length(var.public_subnet_ids) > 0
    error_message = "Workers require at least one subnet."
  }
  validation {
    condition     = alltrue([for id in var.private_subnet_ids : can(regex("^subnet-[0-9a-z]+$", id))])
    error_message = "Subnets must be ids that start with subnet-."
  }
}

variable "public_subnet_ids" {
  description = "Ids of the public subnets that workers use if there are no private subnets."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = alltrue([for id in var.public_subnet_ids : can(regex("^subnet-[0-9a-z]+$", id))])
    error_message = "Subnets must be ids that start with subnet-."
  }
}

variable "public_access" {
  description = "Whether the API server has a public endpoint. The private endpoint is always on."
  type        = bool
  default     = true
  nullable    = false
  validation {
    condition     = var.public_access || length(var.public_access_cidrs) == 0
    error_message = "Address ranges require a public endpoint; leave them empty if the endpoint is private."
  }
}

variable "public_access_cidrs" {
  description = "Address ranges that may reach the public endpoint of the API server; empty allows all."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = alltrue([for range in var.public_access_cidrs : can(cidrhost(range, 0))])
    error_message = "Address ranges must look like 192.0.2.0/24."
  }
}

variable "service_cidr" {
  description = "Address range of Kubernetes services; null lets EKS choose."
  type        = string
  default     = null
  validation {
    condition     = var.service_cidr == null || can(cidrnetmask(var.service_cidr))
    error_message = "The service range must be an IPv4 range such as 172.20.0.0/16."
  }
  validation {
    condition = var.service_cidr == null || try(
      tonumber(split("/", var.service_cidr)[1]) >= 12 && tonumber(split("/", var.service_cidr)[1]) <= 24 && cidrhost(var.service_cidr, 0) == split("/", var.service_cidr)[0] &&
      can(regex("^(10\\.|172\\.(1[6-9]|2[0-9]|3[01])\\.|192\\.168\\.)", var.service_cidr)), false
    )
    error_message = "The service range must be within 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16, have a prefix between 12 and 24, and start at its first address."
  }
}

variable "log_types" {
  description = "Control plane logs to send to CloudWatch."
  type        = set(string)
  default     = []
  nullable    = false
  validation {
    condition     = length(setsubtract(var.log_types, ["api", "audit", "authenticator", "controllerManager", "scheduler"])) == 0
    error_message = "Control plane logs must be api, audit, authenticator, controllerManager or scheduler."
  }
}

variable "log_retention_days" {
  description = "Retention of the control plane logs in days; 0 keeps them forever."
  type        = number
  default     = 90
  nullable    = false
  validation {
    condition     = contains([0, 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653], var.log_retention_days)
    error_message = "The log retention must be 0 (forever), 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288 or 3653 days."
  }
}

variable "kms_key_arn" {
  description = "ARN of the KMS key that encrypts the cluster's secrets; null creates a key."
  type        = string
  default     = null
  validation {
    condition     = var.kms_key_arn == null || can(regex("^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/.+$", var.kms_key_arn))
    error_message = "The key must be the ARN of a key; ARNs of aliases are not accepted."
  }
}

variable "roles" {
  description = "ARNs of existing roles to use instead of creating them. Roles of pods must trust pods.eks.amazonaws.com."
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
    error_message = "Roles must be ARNs."
  }
}

variable "access_entries" {
  description = "Roles and users with access to the cluster, by ARN, in addition to the creator. Access is granted by an EKS policy, for the cluster or some namespaces, or by membership in Kubernetes groups."
  type = map(object({
    policy     = optional(string)
    namespaces = optional(set(string), [])
    groups     = optional(set(string), [])
  }))
  default  = {}
  nullable = false
  validation {
    condition     = alltrue([for arn in keys(var.access_entries) : can(regex("^arn:aws[a-z-]*:iam::[0-9]{12}:(role|user)/.+$", arn))])
    error_message = "Roles and users must be ARNs."
  }
  validation {
    condition     = alltrue([for entry in values(var.access_entries) : entry.policy == null || contains(["cluster-admin", "admin", "edit", "view"], coalesce(entry.policy, "view"))])
    error_message = "The policy must be cluster-admin, admin, edit or view."
  }
  validation {
    condition     = alltrue([for entry in values(var.access_entries) : length(entry.namespaces) == 0 || contains(["admin", "edit", "view"], coalesce(entry.policy, "none"))])
    error_message = "Namespaces require the policy admin, edit or view."
  }
}

variable "addons" {
  description = "EKS add-ons by name. An add-on without a version gets the EKS default for the requested Kubernetes version. To keep installed versions, pass the outputs addon_versions and addon_minors back in."
  type = map(object({
    version       = optional(string)
    configuration = optional(string)
    # Whether the add-on is already installed. An installed add-on stays even if the last node is removed.
    installed = optional(bool, false)
    # The Kubernetes minor version that the add-on's version was chosen for, if it differs from the requested one.
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
    error_message = "Add-on versions must look like v1.20.4-eksbuild.1."
  }
  validation {
    condition     = alltrue([for addon in values(var.addons) : addon.configuration == null || can(keys(jsondecode(addon.configuration)))])
    error_message = "The configuration of an add-on must be a JSON object."
  }
  validation {
    condition     = alltrue([for addon in values(var.addons) : addon.chosen_for == null || can(regex("^1\\.[0-9]{2,3}$", addon.chosen_for))])
    error_message = "The Kubernetes versions that add-on versions were chosen for must look like 1.34."
  }
}

variable "pod_identities" {
  description = "Role ARNs of service accounts, by namespace/name. The roles must trust pods.eks.amazonaws.com."
  type        = map(string)
  default     = {}
  nullable    = false
  validation {
    condition     = alltrue([for account in keys(var.pod_identities) : can(regex("^[a-z0-9][-a-z0-9]{0,62}/[a-z0-9][-.a-z0-9]{0,252}$", account))])
    error_message = "Service accounts must have the form namespace/name."
  }
  validation {
    condition     = alltrue([for arn in values(var.pod_identities) : can(regex("^arn:aws[a-z-]*:iam::[0-9]{12}:role/.+$", arn))])
    error_message = "Roles must be ARNs."
  }
}

variable "load_balancer_controller" {
  description = "Whether to create a role for the AWS load balancer controller."
  type        = bool
  default     = true
  nullable    = false
}

variable "karpenter" {
  description = "Prerequisites of Karpenter: its role, the role of its nodes and the queue of interruption events."
  type = object({
    enabled         = bool
    namespace       = optional(string, "kube-system")
    service_account = optional(string, "karpenter")
  })
  default  = { enabled = false }
  nullable = false
  validation {
    condition     = alltrue([for name in [var.karpenter.namespace, var.karpenter.service_account] : can(regex("^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$", name))])
    error_message = "Karpenter's namespace and service account must be valid Kubernetes names."
  }
}

variable "node_pools" {
  description = "Node pools by name."
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
    error_message = "Pool names must start with a letter, must not end with a hyphen, and consist of at most 63 lower-case letters, digits and hyphens."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : pool.min >= 0 && pool.min <= pool.desired && pool.desired <= pool.max && pool.max >= 1])
    error_message = "Pool sizes must satisfy 0 <= min <= desired <= max, and max must be at least 1."
  }
  validation {
    condition     = alltrue(flatten([for pool in values(var.node_pools) : [for number in [pool.min, pool.desired, pool.max, pool.disk_size_gib] : floor(number) == number]]))
    error_message = "Pool sizes and disk sizes must be whole numbers."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : can(regex("^[a-z][a-z0-9-]*\\.[a-z0-9-]+$", pool.instance_type))])
    error_message = "Machine types must look like t3.medium."
  }
  validation {
    condition     = alltrue(flatten([for pool in values(var.node_pools) : [for zone in pool.zones : can(regex("^${var.region}([a-z]|-[a-z0-9-]+)$", zone))]]))
    error_message = "The zones of a pool must be in the cluster's region."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : contains(["on-demand", "spot"], pool.capacity)])
    error_message = "The capacity must be on-demand or spot."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : pool.disk_size_gib >= 1 && pool.disk_size_gib <= 16384])
    error_message = "The disk size must be between 1 and 16384 GiB."
  }
  validation {
    condition     = alltrue(flatten([for pool in values(var.node_pools) : [for taint in pool.taints : contains(["NoSchedule", "PreferNoSchedule", "NoExecute"], taint.effect)]]))
    error_message = "The effect of a taint must be NoSchedule, PreferNoSchedule or NoExecute."
  }
  validation {
    condition     = alltrue(flatten([for pool in values(var.node_pools) : [for taint in pool.taints : length(taint.key) >= 1 && length(taint.key) <= 63 && length(coalesce(taint.value, "-")) <= 63]]))
    error_message = "Taint keys must have 1 to 63 characters, and taint values at most 63."
  }
}

variable "owner" {
  description = "Entity that owns the resources. Each resource carries it as tags and is found by them."
  type = object({
    project = string
    entity  = string
  })
  validation {
    condition     = length(replace(var.owner.entity, "-", "")) >= 4
    error_message = "The owner's uid is too short for unique resource names."
  }
}

variable "tags" {
  description = "Additional tags for all resources."
  type        = map(string)
  default     = {}
  nullable    = false
  validation {
    # AWS allows 50 tags per resource, and the platform sets some of them.
    condition     = length(var.tags) <= 40 && alltrue([for key, value in var.tags : length(key) >= 1 && length(key) <= 128 && length(coalesce(value, "-")) <= 256])
    error_message = "At most 40 tags are allowed, with keys of up to 128 and values of up to 256 characters."
  }
  validation {
    condition     = alltrue([for key in keys(var.tags) : !startswith(key, "cloudwright:") && !startswith(key, "aws:")])
    error_message = "Tag keys must not start with cloudwright: or aws:, which are reserved."
  }
}
