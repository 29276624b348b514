variable "vpc_name" {
  description = "Name of the network; what is made carries it."
  type        = string
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,62}$", var.vpc_name))
    error_message = "The name has lower-case letters, digits and hyphens, at most 63."
  }
}

variable "region" {
  description = "Region of the network."
  type        = string
  validation {
    condition     = can(regex("^[a-z]{2}(-[a-z]+)+-[0-9]+$", var.region))
    error_message = "The region is written as eu-west-1."
  }
}

variable "cidr_range" {
  description = "Address range of the whole network."
  type        = string
  default     = "10.0.0.0/16"
  nullable    = false
  validation {
    condition     = can(cidrnetmask(var.cidr_range)) && try(tonumber(split("/", var.cidr_range)[1]) >= 16 && tonumber(split("/", var.cidr_range)[1]) <= 28, false)
    error_message = "The range is IPv4, with a prefix of 16 to 28."
  }
  validation {
    condition     = try(cidrhost(var.cidr_range, 0) == split("/", var.cidr_range)[0], false)
    error_message = "The range is written by its first address."
  }
}

variable "aws_azs" {
  description = "Availability zones to spread over; none where the network exists already."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = length(distinct(var.aws_azs)) == length(var.aws_azs) && alltrue([for zone in var.aws_azs : can(regex("^${var.region}([a-z]|-[a-z0-9-]+)$", zone))])
    error_message = "Zones are of the network's region, each named once."
  }
  validation {
    condition     = (length(var.aws_azs) == 0) == (var.vpc_id != null)
    error_message = "A network that is made needs a zone; one that exists has its own."
  }
}

variable "aws_public_subnet_cidrs" {
  description = "Ranges of the subnets of load balancers, in the order of aws_azs; computed where none of the three lists is given."
  type        = list(string)
  default     = null
  validation {
    condition     = length(coalesce(var.aws_public_subnet_cidrs, [])) <= length(var.aws_azs) && alltrue([for range in coalesce(var.aws_public_subnet_cidrs, []) : can(cidrnetmask(range))])
    error_message = "The ranges of public subnets are IPv4 ranges, at most one for each zone."
  }
  validation {
    condition = alltrue([for range in coalesce(var.aws_public_subnet_cidrs, []) : try(
      tonumber(split("/", range)[1]) <= 28 && tonumber(split("/", range)[1]) >= tonumber(split("/", var.cidr_range)[1]) &&
      cidrhost(range, 0) == split("/", range)[0] && cidrhost("${split("/", range)[0]}/${split("/", var.cidr_range)[1]}", 0) == cidrhost(var.cidr_range, 0), false
    )])
    error_message = "The ranges of public subnets lie in cidr_range, with a prefix of at most 28, and are written by their first addresses."
  }
  validation {
    # Two ranges overlap if they are equal under the shorter of their prefixes. Each range overlaps with itself.
    condition = alltrue([for range in coalesce(var.aws_public_subnet_cidrs, []) : length([
      for other in coalesce(var.aws_public_subnet_cidrs, []) : other
      if try(alltrue([for prefix in [min([for each in [range, other] : tonumber(split("/", each)[1])]...)] : cidrhost("${split("/", range)[0]}/${prefix}", 0) == cidrhost("${split("/", other)[0]}/${prefix}", 0)]), false)
    ]) <= 1])
    error_message = "The ranges of public subnets overlap no other subnet."
  }
}

variable "aws_private_subnet_cidrs" {
  description = "Ranges of the subnets of workers, in the order of aws_azs; computed where none of the three lists is given."
  type        = list(string)
  default     = null
  validation {
    condition     = length(coalesce(var.aws_private_subnet_cidrs, [])) <= length(var.aws_azs) && alltrue([for range in coalesce(var.aws_private_subnet_cidrs, []) : can(cidrnetmask(range))])
    error_message = "The ranges of private subnets are IPv4 ranges, at most one for each zone."
  }
  validation {
    condition = alltrue([for range in coalesce(var.aws_private_subnet_cidrs, []) : try(
      tonumber(split("/", range)[1]) <= 28 && tonumber(split("/", range)[1]) >= tonumber(split("/", var.cidr_range)[1]) &&
      cidrhost(range, 0) == split("/", range)[0] && cidrhost("${split("/", range)[0]}/${split("/", var.cidr_range)[1]}", 0) == cidrhost(var.cidr_range, 0), false
    )])
    error_message = "The ranges of private subnets lie in cidr_range, with a prefix of at most 28, and are written by their first addresses."
  }
  validation {
    # Two ranges overlap if they are equal under the shorter of their prefixes. Each range overlaps with itself.
    condition = alltrue([for range in coalesce(var.aws_private_subnet_cidrs, []) : length([
      for other in concat(coalesce(var.aws_public_subnet_cidrs, []), coalesce(var.aws_private_subnet_cidrs, [])) : other
      if try(alltrue([for prefix in [min([for each in [range, other] : tonumber(split("/", each)[1])]...)] : cidrhost("${split("/", range)[0]}/${prefix}", 0) == cidrhost("${split("/", other)[0]}/${prefix}", 0)]), false)
    ]) <= 1])
    error_message = "The ranges of private subnets overlap no other subnet."
  }
}

variable "aws_eks_controlplane_subnet_cidrs" {
  description = "Ranges of the subnets of control planes, which have no way out, in the order of aws_azs; computed where none of the three lists is given."
  type        = list(string)
  default     = null
  validation {
    condition     = length(coalesce(var.aws_eks_controlplane_subnet_cidrs, [])) <= length(var.aws_azs) && alltrue([for range in coalesce(var.aws_eks_controlplane_subnet_cidrs, []) : can(cidrnetmask(range))])
    error_message = "The ranges of control planes' subnets are IPv4 ranges, at most one for each zone."
  }
  validation {
    condition = alltrue([for range in coalesce(var.aws_eks_controlplane_subnet_cidrs, []) : try(
      tonumber(split("/", range)[1]) <= 28 && tonumber(split("/", range)[1]) >= tonumber(split("/", var.cidr_range)[1]) &&
      cidrhost(range, 0) == split("/", range)[0] && cidrhost("${split("/", range)[0]}/${split("/", var.cidr_range)[1]}", 0) == cidrhost(var.cidr_range, 0), false
    )])
    error_message = "The ranges of control planes' subnets lie in cidr_range, with a prefix of at most 28, and are written by their first addresses."
  }
  validation {
    # Two ranges overlap if they are equal under the shorter of their prefixes. Each range overlaps with itself.
    condition = alltrue([for range in coalesce(var.aws_eks_controlplane_subnet_cidrs, []) : length([
      for other in concat(coalesce(var.aws_public_subnet_cidrs, []), coalesce(var.aws_private_subnet_cidrs, []), coalesce(var.aws_eks_controlplane_subnet_cidrs, [])) : other
      if try(alltrue([for prefix in [min([for each in [range, other] : tonumber(split("/", each)[1])]...)] : cidrhost("${split("/", range)[0]}/${prefix}", 0) == cidrhost("${split("/", other)[0]}/${prefix}", 0)]), false)
    ]) <= 1])
    error_message = "The ranges of control planes' subnets overlap no other subnet."
  }
  # Conditions on other variables that apply without a list are here, because two variables must not refer to each other.
  validation {
    # The smallest AWS subnet has 16 addresses.
    condition     = length(var.aws_azs) == 0 || var.aws_public_subnet_cidrs != null || var.aws_private_subnet_cidrs != null || var.aws_eks_controlplane_subnet_cidrs != null || try(tonumber(split("/", var.cidr_range)[1]) <= 23, true)
    error_message = "Where no subnets are named, cidr_range is cut into them and has a prefix of at most 23."
  }
  validation {
    condition     = var.aws_public_subnet_cidrs != null || var.aws_private_subnet_cidrs != null || var.aws_eks_controlplane_subnet_cidrs != null || try(length(distinct([for zone in var.aws_azs : regex("[a-h]$", zone)])) == length(var.aws_azs), false)
    error_message = "Where no subnets are named, each zone of aws_azs ends in a letter of its own, a to h: by that its subnets have their place."
  }
  validation {
    condition     = var.nat == "none" || length(coalesce(var.aws_public_subnet_cidrs, [])) > 0 || !(var.aws_public_subnet_cidrs != null || var.aws_private_subnet_cidrs != null || var.aws_eks_controlplane_subnet_cidrs != null)
    error_message = "Where subnets are named, nat is none, or a public one is among them: that is where a gateway stands."
  }
}

variable "nat" {
  description = "How private subnets reach the internet."
  type        = string
  default     = "none"
  nullable    = false
  validation {
    condition     = contains(["none", "single", "per-zone"], var.nat)
    error_message = "NAT is none, single or per-zone."
  }
}

variable "load_balancer_ips" {
  description = "How many elastic IPs are kept for load balancers."
  type        = number
  default     = 0
  nullable    = false
  validation {
    condition     = var.load_balancer_ips >= 0 && var.load_balancer_ips <= 20 && floor(var.load_balancer_ips) == var.load_balancer_ips
    error_message = "From 0 to 20 addresses are kept for load balancers."
  }
}

variable "s3_endpoint" {
  description = "Whether S3 is reached from inside, without NAT and without its price."
  type        = bool
  default     = true
  nullable    = false
}

variable "interface_endpoints" {
  description = "Further services of AWS that are reached from inside, for example ecr.api; each has a price by the hour and zone."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = alltrue([for service in var.interface_endpoints : can(regex("^[a-z0-9.-]{1,64}$", service))])
    error_message = "Services are written as ecr.api."
  }
}

variable "network_acl_rules" {
  description = "Rules of the network ACLs that come before those that allow: everything for public and private subnets, the network's own range for those of control planes."
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
    error_message = "A rule is of public, private or intra subnets, goes in or out, allows or denies, and is for tcp, udp or all."
  }
  validation {
    condition     = alltrue([for rule in var.network_acl_rules : rule.number >= 1 && rule.number < 32000 && floor(rule.number) == rule.number && can(cidrnetmask(rule.cidr))])
    error_message = "A rule has a number from 1 to 31999 and an IPv4 range."
  }
  validation {
    condition     = alltrue([for rule in var.network_acl_rules : rule.from_port >= 0 && floor(rule.from_port) == rule.from_port && floor(rule.to_port) == rule.to_port && rule.from_port <= rule.to_port && rule.to_port <= 65535 && (rule.protocol != "all" || rule.to_port == 0)])
    error_message = "Ports go from 0 to 65535, and rules for all protocols have none."
  }
  validation {
    condition     = length(distinct([for rule in var.network_acl_rules : "${rule.subnets} ${rule.direction} ${rule.number}"])) == length(var.network_acl_rules)
    error_message = "Rules of the same subnets and direction have different numbers."
  }
}

variable "flow_logs" {
  description = "Whether what passes is written down, and for how many days that is kept."
  type = object({
    retention_days = optional(number, 30)
  })
  default = null
  validation {
    condition     = var.flow_logs == null || try(contains([1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653], var.flow_logs.retention_days), false)
    error_message = "Logs are kept for one of the numbers of days that CloudWatch has: 1, 3, 5, 7, 14, 30, 60, 90 and so on."
  }
}

variable "vpc_id" {
  description = "A VPC that exists and is used as it is: nothing of it is changed, and nothing is made."
  type        = string
  default     = null
  validation {
    condition     = var.vpc_id == null || can(regex("^vpc-[0-9a-z]+$", var.vpc_id))
    error_message = "The id of a VPC is written as vpc-0a1b2c."
  }
  validation {
    condition     = var.vpc_id == null || (var.nat == "none" && var.load_balancer_ips == 0 && var.flow_logs == null && length(var.interface_endpoints) == 0 && length(var.network_acl_rules) == 0)
    error_message = "In a network that exists nothing is made: no NAT, addresses, endpoints, ACL rules or flow logs."
  }
}

variable "public_subnet_ids" {
  description = "Subnets of load balancers in the VPC that exists."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = length(var.public_subnet_ids) == 0 || var.vpc_id != null
    error_message = "Ids of subnets go with vpc_id."
  }
  validation {
    condition     = length(distinct(var.public_subnet_ids)) == length(var.public_subnet_ids) && alltrue([for id in var.public_subnet_ids : can(regex("^subnet-[0-9a-z]+$", id))])
    error_message = "Subnets are given by their ids, subnet-0a1b2c, each once."
  }
}

variable "private_subnet_ids" {
  description = "Subnets of workers in the VPC that exists."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = length(var.private_subnet_ids) == 0 || var.vpc_id != null
    error_message = "Ids of subnets go with vpc_id."
  }
  validation {
    condition     = length(distinct(var.private_subnet_ids)) == length(var.private_subnet_ids) && alltrue([for id in var.private_subnet_ids : can(regex("^subnet-[0-9a-z]+$", id))])
    error_message = "Subnets are given by their ids, subnet-0a1b2c, each once."
  }
}

variable "controlplane_subnet_ids" {
  description = "Subnets of control planes in the VPC that exists."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = length(var.controlplane_subnet_ids) == 0 || var.vpc_id != null
    error_message = "Ids of subnets go with vpc_id."
  }
  validation {
    condition     = length(distinct(var.controlplane_subnet_ids)) == length(var.controlplane_subnet_ids) && alltrue([for id in var.controlplane_subnet_ids : can(regex("^subnet-[0-9a-z]+$", id))])
    error_message = "Subnets are given by their ids, subnet-0a1b2c, each once."
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
