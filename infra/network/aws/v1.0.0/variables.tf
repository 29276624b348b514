variable "vpc_name" {
  description = "Name of the network. Resource names start with it."
  type        = string
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,62}$", var.vpc_name))
    error_message = "The name must start with a letter and consist of at most 63 lower-case letters, digits and hyphens."
  }
}

variable "region" {
  description = "Region of the network."
  type        = string
  validation {
    condition     = can(regex("^[a-z]{2}(-[a-z]+)+-[0-9]+$", var.region))
    error_message = "The region must look like eu-west-1."
  }
}

variable "cidr_range" {
  description = "Address range of the whole network."
  type        = string
  default     = "10.0.0.0/16"
  nullable    = false
  validation {
    condition     = can(cidrnetmask(var.cidr_range)) && try(tonumber(split("/", var.cidr_range)[1]) >= 16 && tonumber(split("/", var.cidr_range)[1]) <= 28, false)
    error_message = "The address range must be IPv4 with a prefix between 16 and 28."
  }
  validation {
    condition     = try(cidrhost(var.cidr_range, 0) == split("/", var.cidr_range)[0], false)
    error_message = "The address range must start at its first address, for example 10.0.0.0/16."
  }
}

variable "aws_azs" {
  description = "Availability zones to create subnets in; empty for an existing VPC."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = length(distinct(var.aws_azs)) == length(var.aws_azs) && alltrue([for zone in var.aws_azs : can(regex("^${var.region}([a-z]|-[a-z0-9-]+)$", zone))])
    error_message = "Zones must be in the network's region and must not repeat."
  }
  validation {
    condition     = (length(var.aws_azs) == 0) == (var.vpc_id != null)
    error_message = "aws_azs must name at least one zone, unless vpc_id names an existing VPC; then it must be empty."
  }
}

variable "aws_public_subnet_cidrs" {
  description = "Address ranges of the load balancer subnets, in the order of aws_azs. Computed if none of the three subnet lists is set."
  type        = list(string)
  default     = null
  validation {
    condition     = length(coalesce(var.aws_public_subnet_cidrs, [])) <= length(var.aws_azs) && alltrue([for range in coalesce(var.aws_public_subnet_cidrs, []) : can(cidrnetmask(range))])
    error_message = "The ranges of public subnets must be IPv4 ranges, at most one per zone."
  }
  validation {
    condition = alltrue([for range in coalesce(var.aws_public_subnet_cidrs, []) : try(
      tonumber(split("/", range)[1]) <= 28 && tonumber(split("/", range)[1]) >= tonumber(split("/", var.cidr_range)[1]) &&
      cidrhost(range, 0) == split("/", range)[0] && cidrhost("${split("/", range)[0]}/${split("/", var.cidr_range)[1]}", 0) == cidrhost(var.cidr_range, 0), false
    )])
    error_message = "The ranges of public subnets must be within cidr_range, have a prefix of at most 28, and start at their first address."
  }
  validation {
    # Two ranges overlap if they are equal when truncated to the shorter prefix. Every range overlaps itself, so one match is allowed.
    condition = alltrue([for range in coalesce(var.aws_public_subnet_cidrs, []) : length([
      for other in coalesce(var.aws_public_subnet_cidrs, []) : other
      if try(alltrue([for prefix in [min([for each in [range, other] : tonumber(split("/", each)[1])]...)] : cidrhost("${split("/", range)[0]}/${prefix}", 0) == cidrhost("${split("/", other)[0]}/${prefix}", 0)]), false)
    ]) <= 1])
    error_message = "The ranges of public subnets must not overlap with other subnets."
  }
}

variable "aws_private_subnet_cidrs" {
  description = "Address ranges of the worker subnets, in the order of aws_azs. Computed if none of the three subnet lists is set."
  type        = list(string)
  default     = null
  validation {
    condition     = length(coalesce(var.aws_private_subnet_cidrs, [])) <= length(var.aws_azs) && alltrue([for range in coalesce(var.aws_private_subnet_cidrs, []) : can(cidrnetmask(range))])
    error_message = "The ranges of private subnets must be IPv4 ranges, at most one per zone."
  }
  validation {
    condition = alltrue([for range in coalesce(var.aws_private_subnet_cidrs, []) : try(
      tonumber(split("/", range)[1]) <= 28 && tonumber(split("/", range)[1]) >= tonumber(split("/", var.cidr_range)[1]) &&
      cidrhost(range, 0) == split("/", range)[0] && cidrhost("${split("/", range)[0]}/${split("/", var.cidr_range)[1]}", 0) == cidrhost(var.cidr_range, 0), false
    )])
    error_message = "The ranges of private subnets must be within cidr_range, have a prefix of at most 28, and start at their first address."
  }
  validation {
    # Two ranges overlap if they are equal when truncated to the shorter prefix. Every range overlaps itself, so one match is allowed.
    condition = alltrue([for range in coalesce(var.aws_private_subnet_cidrs, []) : length([
      for other in concat(coalesce(var.aws_public_subnet_cidrs, []), coalesce(var.aws_private_subnet_cidrs, [])) : other
      if try(alltrue([for prefix in [min([for each in [range, other] : tonumber(split("/", each)[1])]...)] : cidrhost("${split("/", range)[0]}/${prefix}", 0) == cidrhost("${split("/", other)[0]}/${prefix}", 0)]), false)
    ]) <= 1])
    error_message = "The ranges of private subnets must not overlap with other subnets."
  }
}

variable "aws_eks_controlplane_subnet_cidrs" {
  description = "Address ranges of the control plane subnets, which have no internet access, in the order of aws_azs. Computed if none of the three subnet lists is set."
  type        = list(string)
  default     = null
  validation {
    condition     = length(coalesce(var.aws_eks_controlplane_subnet_cidrs, [])) <= length(var.aws_azs) && alltrue([for range in coalesce(var.aws_eks_controlplane_subnet_cidrs, []) : can(cidrnetmask(range))])
    error_message = "The ranges of control plane subnets must be IPv4 ranges, at most one per zone."
  }
  validation {
    condition = alltrue([for range in coalesce(var.aws_eks_controlplane_subnet_cidrs, []) : try(
      tonumber(split("/", range)[1]) <= 28 && tonumber(split("/", range)[1]) >= tonumber(split("/", var.cidr_range)[1]) &&
      cidrhost(range, 0) == split("/", range)[0] && cidrhost("${split("/", range)[0]}/${split("/", var.cidr_range)[1]}", 0) == cidrhost(var.cidr_range, 0), false
    )])
    error_message = "The ranges of control plane subnets must be within cidr_range, have a prefix of at most 28, and start at their first address."
  }
  validation {
    # Two ranges overlap if they are equal when truncated to the shorter prefix. Every range overlaps itself, so one match is allowed.
    condition = alltrue([for range in coalesce(var.aws_eks_controlplane_subnet_cidrs, []) : length([
      for other in concat(coalesce(var.aws_public_subnet_cidrs, []), coalesce(var.aws_private_subnet_cidrs, []), coalesce(var.aws_eks_controlplane_subnet_cidrs, [])) : other
      if try(alltrue([for prefix in [min([for each in [range, other] : tonumber(split("/", each)[1])]...)] : cidrhost("${split("/", range)[0]}/${prefix}", 0) == cidrhost("${split("/", other)[0]}/${prefix}", 0)]), false)
    ]) <= 1])
    error_message = "The ranges of control plane subnets must not overlap with other subnets."
  }
  # These conditions refer to other variables. They are all in one place, because Terraform does not allow two variables to refer
  # to each other.
  validation {
    # The smallest AWS subnet has 16 addresses.
    condition     = length(var.aws_azs) == 0 || var.aws_public_subnet_cidrs != null || var.aws_private_subnet_cidrs != null || var.aws_eks_controlplane_subnet_cidrs != null || try(tonumber(split("/", var.cidr_range)[1]) <= 23, true)
    error_message = "Computed subnets require a cidr_range with a prefix of at most 23. Use a larger range or set the subnet ranges."
  }
  validation {
    condition     = var.aws_public_subnet_cidrs != null || var.aws_private_subnet_cidrs != null || var.aws_eks_controlplane_subnet_cidrs != null || try(length(distinct([for zone in var.aws_azs : regex("[a-h]$", zone)])) == length(var.aws_azs), false)
    error_message = "Computed subnets require zones that end in different letters from a to h, because the letter decides the position in cidr_range."
  }
  validation {
    condition     = var.nat == "none" || length(coalesce(var.aws_public_subnet_cidrs, [])) > 0 || !(var.aws_public_subnet_cidrs != null || var.aws_private_subnet_cidrs != null || var.aws_eks_controlplane_subnet_cidrs != null)
    error_message = "NAT gateways require a public subnet. Add one to the subnet ranges or set nat to none."
  }
}

variable "nat" {
  description = "NAT gateways through which private subnets reach the internet: none, single or per-zone."
  type        = string
  default     = "none"
  nullable    = false
  validation {
    condition     = contains(["none", "single", "per-zone"], var.nat)
    error_message = "nat must be none, single or per-zone."
  }
}

variable "load_balancer_ips" {
  description = "Number of elastic IPs to reserve for load balancers."
  type        = number
  default     = 0
  nullable    = false
  validation {
    condition     = var.load_balancer_ips >= 0 && var.load_balancer_ips <= 20 && floor(var.load_balancer_ips) == var.load_balancer_ips
    error_message = "The number of elastic IPs for load balancers must be between 0 and 20."
  }
}

variable "s3_endpoint" {
  description = "Whether to create a gateway endpoint for S3, which avoids the cost of NAT."
  type        = bool
  default     = true
  nullable    = false
}

variable "interface_endpoints" {
  description = "AWS services to reach through interface endpoints, for example ecr.api. AWS charges for each endpoint per hour and zone."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = alltrue([for service in var.interface_endpoints : can(regex("^[a-z0-9.-]{1,64}$", service))])
    error_message = "Service names must look like ecr.api."
  }
}

variable "network_acl_rules" {
  description = "Network ACL rules that take precedence over the default rules. By default, public and private subnets allow all traffic, and control plane subnets allow only the VPC's own range."
  type = list(object({
    subnets   = string
    direction = string
    number    = number
    action    = string
    protocol  = optional(string, "all")
    from_port = optional(number, 0)
    to_port   = optional(number, 0)
    cidr      = string
  }))
  default  = []
  nullable = false
  validation {
    condition     = alltrue([for rule in var.network_acl_rules : contains(["public", "private", "intra"], rule.subnets) && contains(["in", "out"], rule.direction) && contains(["allow", "deny"], rule.action) && contains(["all", "tcp", "udp"], rule.protocol)])
    error_message = "Invalid ACL rule. Subnets must be public, private or intra; direction must be in or out; action must be allow or deny; protocol must be tcp, udp or all."
  }
  validation {
    condition     = alltrue([for rule in var.network_acl_rules : rule.number >= 1 && rule.number < 32000 && floor(rule.number) == rule.number && can(cidrnetmask(rule.cidr))])
    error_message = "Each ACL rule requires a number between 1 and 31999 and an IPv4 range."
  }
  validation {
    condition     = alltrue([for rule in var.network_acl_rules : rule.from_port >= 0 && floor(rule.from_port) == rule.from_port && floor(rule.to_port) == rule.to_port && rule.from_port <= rule.to_port && rule.to_port <= 65535 && (rule.protocol != "all" || rule.to_port == 0)])
    error_message = "Ports must be between 0 and 65535; rules for all protocols must not set ports."
  }
  validation {
    condition     = length(distinct([for rule in var.network_acl_rules : "${rule.subnets} ${rule.direction} ${rule.number}"])) == length(var.network_acl_rules)
    error_message = "ACL rules for the same subnets and direction must have different numbers."
  }
}

variable "flow_logs" {
  description = "VPC flow logs and their retention in days."
  type = object({
    retention_days = optional(number, 30)
  })
  default = null
  validation {
    condition     = var.flow_logs == null || try(contains([1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653], var.flow_logs.retention_days), false)
    error_message = "The log retention must be a number of days that CloudWatch supports: 1, 3, 5, 7, 14, 30, 60, 90 and so on."
  }
}

variable "vpc_id" {
  description = "Id of an existing VPC to use. It is only read: nothing in it is created or changed."
  type        = string
  default     = null
  validation {
    condition     = var.vpc_id == null || can(regex("^vpc-[0-9a-z]+$", var.vpc_id))
    error_message = "vpc_id must be an id such as vpc-0a1b2c."
  }
  validation {
    condition     = var.vpc_id == null || (var.nat == "none" && var.load_balancer_ips == 0 && var.flow_logs == null && length(var.interface_endpoints) == 0 && length(var.network_acl_rules) == 0)
    error_message = "An existing VPC cannot be combined with NAT, elastic IPs, endpoints, ACL rules or flow logs, because nothing is created in it."
  }
}

variable "public_subnet_ids" {
  description = "Ids of the load balancer subnets in the existing VPC."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = length(var.public_subnet_ids) == 0 || var.vpc_id != null
    error_message = "Subnet ids require vpc_id."
  }
  validation {
    condition     = length(distinct(var.public_subnet_ids)) == length(var.public_subnet_ids) && alltrue([for id in var.public_subnet_ids : can(regex("^subnet-[0-9a-z]+$", id))])
    error_message = "Subnets must be unique ids such as subnet-0a1b2c."
  }
}

variable "private_subnet_ids" {
  description = "Ids of the worker subnets in the existing VPC."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = length(var.private_subnet_ids) == 0 || var.vpc_id != null
    error_message = "Subnet ids require vpc_id."
  }
  validation {
    condition     = length(distinct(var.private_subnet_ids)) == length(var.private_subnet_ids) && alltrue([for id in var.private_subnet_ids : can(regex("^subnet-[0-9a-z]+$", id))])
    error_message = "Subnets must be unique ids such as subnet-0a1b2c."
  }
}

variable "controlplane_subnet_ids" {
  description = "Ids of the control plane subnets in the existing VPC."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = length(var.controlplane_subnet_ids) == 0 || var.vpc_id != null
    error_message = "Subnet ids require vpc_id."
  }
  validation {
    condition     = length(distinct(var.controlplane_subnet_ids)) == length(var.controlplane_subnet_ids) && alltrue([for id in var.controlplane_subnet_ids : can(regex("^subnet-[0-9a-z]+$", id))])
    error_message = "Subnets must be unique ids such as subnet-0a1b2c."
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
    # AWS allows 50 tags, and the platform sets some of them.
    condition     = length(var.tags) <= 40 && alltrue([for key, value in var.tags : length(key) >= 1 && length(key) <= 128 && length(coalesce(value, "-")) <= 256])
    error_message = "At most 40 tags are allowed, with keys of up to 128 and values of up to 256 characters."
  }
  validation {
    condition     = alltrue([for key in keys(var.tags) : !startswith(key, "cloudwright:") && !startswith(key, "aws:")])
    error_message = "Tag keys must not start with cloudwright: or aws:, which are reserved."
  }
}
