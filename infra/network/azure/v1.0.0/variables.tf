variable "name" {
  description = "Name of the network. Resource names start with it."
  type        = string
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,62}$", var.name))
    error_message = "The name must start with a letter and consist of at most 63 lower-case letters, digits and hyphens."
  }
}

variable "region" {
  description = "Region of the network."
  type        = string
  validation {
    condition     = can(regex("^[a-z]{4,}[0-9]?$", var.region))
    error_message = "The region must look like westeurope."
  }
}

variable "resource_group_name" {
  description = "Existing resource group in which the network is created. By default, the network has a resource group of its own."
  type        = string
  default     = null
  validation {
    condition     = var.resource_group_name == null || can(regex("^[A-Za-z0-9_().-]{0,89}[A-Za-z0-9_()-]$", var.resource_group_name))
    error_message = "A resource group name has up to 90 letters, digits, underscores, parentheses, hyphens and periods, and does not end with a period."
  }
}

variable "cidr_range" {
  description = "Address range of the whole network."
  type        = string
  default     = "10.0.0.0/16"
  nullable    = false
  validation {
    condition     = can(cidrnetmask(var.cidr_range)) && try(tonumber(split("/", var.cidr_range)[1]) >= 8 && tonumber(split("/", var.cidr_range)[1]) <= 28, false)
    error_message = "The address range must be IPv4 with a prefix between 8 and 28."
  }
  validation {
    condition     = try(cidrhost(var.cidr_range, 0) == split("/", var.cidr_range)[0], false)
    error_message = "The address range must start at its first address, for example 10.0.0.0/16."
  }
  validation {
    # Two ranges overlap if they are equal when truncated to the shorter prefix.
    condition = alltrue([for range in ["169.254.0.0/16", "172.30.0.0/16", "172.31.0.0/16", "192.0.2.0/24"] : try(alltrue([
      for prefix in [min([for each in [range, var.cidr_range] : tonumber(split("/", each)[1])]...)] :
      cidrhost("${split("/", range)[0]}/${prefix}", 0) != cidrhost("${split("/", var.cidr_range)[0]}/${prefix}", 0)
    ]), true)])
    error_message = "AKS does not support networks that overlap with 169.254.0.0/16, 172.30.0.0/16, 172.31.0.0/16 or 192.0.2.0/24."
  }
}

variable "zones" {
  description = "Numbers of the zones that public addresses span. Leave it empty in a region without zones."
  type        = list(string)
  default     = null
  validation {
    condition     = length(distinct(coalesce(var.zones, []))) == length(coalesce(var.zones, [])) && alltrue([for zone in coalesce(var.zones, []) : can(regex("^[1-9]$", zone))])
    error_message = "Zones must be different numbers such as 1, 2 and 3."
  }
}

variable "node_subnet_cidr" {
  description = "Address range of the node subnet. By default, the first quarter of the network's range."
  type        = string
  default     = null
  validation {
    condition = var.node_subnet_cidr == null || try(
      tonumber(split("/", var.node_subnet_cidr)[1]) <= 29 && cidrhost(var.node_subnet_cidr, 0) == split("/", var.node_subnet_cidr)[0] && can(cidrnetmask(var.node_subnet_cidr)) &&
      tonumber(split("/", var.node_subnet_cidr)[1]) >= tonumber(split("/", var.cidr_range)[1]) &&
      cidrhost("${split("/", var.node_subnet_cidr)[0]}/${split("/", var.cidr_range)[1]}", 0) == cidrhost(var.cidr_range, 0), false
    )
    error_message = "The range of the node subnet must be within cidr_range, have a prefix of at most 29, and start at its first address."
  }
  validation {
    condition     = var.node_subnet_cidr != null || try(tonumber(split("/", var.cidr_range)[1]) <= 24, true)
    error_message = "Computed subnets require a cidr_range with a prefix of at most 24. Use a larger range or set node_subnet_cidr."
  }
}

variable "pod_subnet" {
  description = "Whether to create a subnet for pods. Clusters with an overlay network do not need it."
  type        = bool
  default     = false
  nullable    = false
}

variable "pod_subnet_cidr" {
  description = "Address range of the pod subnet. By default, the upper half of the network's range."
  type        = string
  default     = null
  validation {
    condition     = var.pod_subnet_cidr == null || var.pod_subnet
    error_message = "pod_subnet_cidr requires pod_subnet."
  }
  validation {
    condition = var.pod_subnet_cidr == null || try(
      tonumber(split("/", var.pod_subnet_cidr)[1]) <= 29 && cidrhost(var.pod_subnet_cidr, 0) == split("/", var.pod_subnet_cidr)[0] && can(cidrnetmask(var.pod_subnet_cidr)) &&
      tonumber(split("/", var.pod_subnet_cidr)[1]) >= tonumber(split("/", var.cidr_range)[1]) &&
      cidrhost("${split("/", var.pod_subnet_cidr)[0]}/${split("/", var.cidr_range)[1]}", 0) == cidrhost(var.cidr_range, 0), false
    )
    error_message = "The range of the pod subnet must be within cidr_range, have a prefix of at most 29, and start at its first address."
  }
}

variable "api_server_subnet" {
  description = "Whether to create a subnet for API servers. Only clusters with API server integration need it."
  type        = bool
  default     = false
  nullable    = false
}

variable "api_server_subnet_cidr" {
  description = "Address range of the subnet of API servers. By default, the sixteenth of the network's range after the node subnet."
  type        = string
  default     = null
  validation {
    condition     = var.api_server_subnet_cidr == null || var.api_server_subnet
    error_message = "api_server_subnet_cidr requires api_server_subnet."
  }
  validation {
    # AKS requires a subnet of at least /28 for API servers.
    condition = var.api_server_subnet_cidr == null || try(
      tonumber(split("/", var.api_server_subnet_cidr)[1]) <= 28 && cidrhost(var.api_server_subnet_cidr, 0) == split("/", var.api_server_subnet_cidr)[0] && can(cidrnetmask(var.api_server_subnet_cidr)) &&
      tonumber(split("/", var.api_server_subnet_cidr)[1]) >= tonumber(split("/", var.cidr_range)[1]) &&
      cidrhost("${split("/", var.api_server_subnet_cidr)[0]}/${split("/", var.cidr_range)[1]}", 0) == cidrhost(var.cidr_range, 0), false
    )
    error_message = "The range of the subnet of API servers must be within cidr_range, have a prefix of at most 28, and start at its first address."
  }
  # This condition refers to several variables. It is declared for only one of them, because Terraform does not allow two variables to refer
  # to each other.
  validation {
    condition = alltrue([for pair in setproduct(["nodes", "pods", "api-server"], ["nodes", "pods", "api-server"]) : pair[0] == pair[1] || try(alltrue([
      for ranges in [{
        nodes      = coalesce(var.node_subnet_cidr, cidrsubnet(var.cidr_range, 2, 0))
        pods       = coalesce(var.pod_subnet ? coalesce(var.pod_subnet_cidr, cidrsubnet(var.cidr_range, 1, 1)) : null, "none")
        api-server = coalesce(var.api_server_subnet ? coalesce(var.api_server_subnet_cidr, cidrsubnet(var.cidr_range, 4, 4)) : null, "none")
        }] : ranges[pair[0]] == "none" || ranges[pair[1]] == "none" || alltrue([
        for prefix in [min([for role in pair : tonumber(split("/", ranges[role])[1])]...)] :
        cidrhost("${split("/", ranges[pair[0]])[0]}/${prefix}", 0) != cidrhost("${split("/", ranges[pair[1]])[0]}/${prefix}", 0)
      ])
    ]), true)])
    error_message = "The subnets of nodes, pods and API servers must not overlap."
  }
}

variable "nat" {
  description = "NAT gateway through which workers reach the internet: none, single (in one zone) or per-zone (spans all zones)."
  type        = string
  default     = "none"
  nullable    = false
  validation {
    condition     = contains(["none", "single", "per-zone"], var.nat)
    error_message = "nat must be none, single or per-zone."
  }
  validation {
    condition     = var.nat != "per-zone" || length(coalesce(var.zones, [])) > 0
    error_message = "A NAT gateway per zone requires a region with zones. Use single."
  }
}

variable "nat_ips" {
  description = "Number of public addresses of the NAT gateway."
  type        = number
  default     = 1
  nullable    = false
  validation {
    condition     = var.nat_ips >= 1 && var.nat_ips <= 16 && floor(var.nat_ips) == var.nat_ips
    error_message = "The number of addresses of the NAT gateway must be between 1 and 16."
  }
}

variable "load_balancer_ips" {
  description = "Number of public addresses to reserve for load balancers."
  type        = number
  default     = 0
  nullable    = false
  validation {
    condition     = var.load_balancer_ips >= 0 && var.load_balancer_ips <= 20 && floor(var.load_balancer_ips) == var.load_balancer_ips
    error_message = "The number of addresses for load balancers must be between 0 and 20."
  }
}

variable "private_dns" {
  description = "Whether to create a private DNS zone for the API servers of private clusters."
  type        = bool
  default     = false
  nullable    = false
}

variable "service_endpoints" {
  description = "Azure services that workers reach through service endpoints, for example Microsoft.Storage."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = length(distinct(var.service_endpoints)) == length(var.service_endpoints) && alltrue([for service in var.service_endpoints : can(regex("^Microsoft[.][A-Za-z]{2,40}([.][A-Za-z]{2,40})?$", service))])
    error_message = "Service endpoints must be unique names such as Microsoft.Storage."
  }
}

variable "security_rules" {
  description = "Rules of the security group of workers. They take precedence over the default rules."
  type = list(object({
    name      = string
    priority  = number
    direction = string
    action    = string
    protocol  = optional(string, "all")
    from_port = optional(number, 0)
    to_port   = optional(number, 0)
    cidr      = string
  }))
  default  = []
  nullable = false
  validation {
    condition     = alltrue([for rule in var.security_rules : contains(["in", "out"], rule.direction) && contains(["allow", "deny"], rule.action) && contains(["all", "tcp", "udp", "icmp"], rule.protocol)])
    error_message = "Invalid security rule. Direction must be in or out; action must be allow or deny; protocol must be tcp, udp, icmp or all."
  }
  validation {
    condition     = alltrue([for rule in var.security_rules : can(regex("^[A-Za-z0-9]([A-Za-z0-9_.-]{0,78}[A-Za-z0-9_])?$", rule.name)) && !contains(["deny-management", "load-balancers"], lower(rule.name))])
    error_message = "The name of a security rule has at most 80 letters, digits, underscores, periods and hyphens. deny-management and load-balancers are reserved."
  }
  validation {
    condition     = alltrue([for rule in var.security_rules : rule.priority >= 100 && rule.priority <= 4096 && floor(rule.priority) == rule.priority && can(cidrnetmask(rule.cidr))])
    error_message = "Each security rule requires a priority between 100 and 4096 and an IPv4 range."
  }
  validation {
    # The configuration's own incoming rules use the priorities 4095 and 4096.
    condition     = alltrue([for rule in var.security_rules : rule.direction == "out" || rule.priority < 4095])
    error_message = "The priorities 4095 and 4096 of incoming traffic are reserved."
  }
  validation {
    condition     = alltrue([for rule in var.security_rules : rule.from_port >= 0 && floor(rule.from_port) == rule.from_port && floor(rule.to_port) == rule.to_port && rule.from_port <= rule.to_port && rule.to_port <= 65535 && (contains(["tcp", "udp"], rule.protocol) || rule.to_port == 0)])
    error_message = "Ports must be between 0 and 65535; only rules for tcp and udp can set ports."
  }
  validation {
    condition     = length(distinct([for rule in var.security_rules : lower(rule.name)])) == length(var.security_rules) && length(distinct([for rule in var.security_rules : "${rule.direction} ${rule.priority}"])) == length(var.security_rules)
    error_message = "Security rules must have different names, and different priorities in each direction."
  }
}

variable "routes" {
  description = "Routes of the worker subnets, for example through a firewall."
  type = list(object({
    name        = string
    cidr        = string
    next_hop    = string
    next_hop_ip = optional(string)
  }))
  default  = []
  nullable = false
  validation {
    condition     = alltrue([for route in var.routes : contains(["appliance", "gateway", "internet", "network", "none"], route.next_hop) && can(cidrnetmask(route.cidr)) && can(regex("^[A-Za-z0-9]([A-Za-z0-9_.-]{0,78}[A-Za-z0-9_])?$", route.name))])
    error_message = "Each route requires a name, an IPv4 range, and a next hop: appliance, gateway, internet, network or none."
  }
  validation {
    condition     = alltrue([for route in var.routes : (route.next_hop == "appliance") == (route.next_hop_ip != null) && can(cidrnetmask("${coalesce(route.next_hop_ip, "10.0.0.1")}/32"))])
    error_message = "Routes to an appliance, and only those, require its IPv4 address in next_hop_ip."
  }
  validation {
    condition     = length(distinct([for route in var.routes : lower(route.name)])) == length(var.routes) && length(distinct([for route in var.routes : route.cidr])) == length(var.routes)
    error_message = "Routes must have different names and ranges."
  }
}

variable "vnet_id" {
  description = "Id of an existing virtual network to use. It is only read: nothing in it is created or changed."
  type        = string
  default     = null
  validation {
    condition     = var.vnet_id == null || can(regex("^/subscriptions/[0-9a-fA-F-]{36}/resourceGroups/[^/]{1,90}/providers/Microsoft.Network/virtualNetworks/[^/]{1,64}$", var.vnet_id))
    error_message = "vnet_id must look like /subscriptions/<id>/resourceGroups/<name>/providers/Microsoft.Network/virtualNetworks/<name>."
  }
  validation {
    condition     = var.vnet_id == null || (var.resource_group_name == null && var.nat == "none" && var.load_balancer_ips == 0 && !var.pod_subnet && !var.api_server_subnet && !var.private_dns && length(var.security_rules) == 0 && length(var.routes) == 0 && length(var.service_endpoints) == 0)
    error_message = "An existing network cannot be combined with a resource group, NAT, addresses, subnets, DNS, rules, routes or endpoints, because nothing is created in it."
  }
}

variable "node_subnet_id" {
  description = "Id of the node subnet in the existing network."
  type        = string
  default     = null
  validation {
    condition     = (var.node_subnet_id == null) == (var.vnet_id == null)
    error_message = "An existing network requires node_subnet_id, and node_subnet_id requires vnet_id."
  }
  validation {
    condition     = var.node_subnet_id == null || can(regex("^/subscriptions/[0-9a-fA-F-]{36}/resourceGroups/[^/]+/providers/Microsoft.Network/virtualNetworks/[^/]+/subnets/[^/]{1,80}$", var.node_subnet_id))
    error_message = "node_subnet_id must be the id of a virtual network followed by /subnets/<name>."
  }
}

variable "pod_subnet_id" {
  description = "Id of the pod subnet in the existing network."
  type        = string
  default     = null
  validation {
    condition     = var.pod_subnet_id == null || (var.vnet_id != null && can(regex("^/subscriptions/[0-9a-fA-F-]{36}/resourceGroups/[^/]+/providers/Microsoft.Network/virtualNetworks/[^/]+/subnets/[^/]{1,80}$", var.pod_subnet_id)))
    error_message = "pod_subnet_id requires vnet_id and must be the id of a virtual network followed by /subnets/<name>."
  }
  validation {
    condition     = var.pod_subnet_id == null || (var.pod_subnet_id != var.node_subnet_id && var.pod_subnet_id != var.api_server_subnet_id)
    error_message = "Nodes, pods and API servers require different subnets."
  }
}

variable "api_server_subnet_id" {
  description = "Id of the subnet of API servers in the existing network."
  type        = string
  default     = null
  validation {
    condition     = var.api_server_subnet_id == null || (var.vnet_id != null && can(regex("^/subscriptions/[0-9a-fA-F-]{36}/resourceGroups/[^/]+/providers/Microsoft.Network/virtualNetworks/[^/]+/subnets/[^/]{1,80}$", var.api_server_subnet_id)))
    error_message = "api_server_subnet_id requires vnet_id and must be the id of a virtual network followed by /subnets/<name>."
  }
  validation {
    condition     = var.api_server_subnet_id == null || var.api_server_subnet_id != var.node_subnet_id
    error_message = "Nodes and API servers require different subnets."
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
    # Azure allows 50 tags per resource, and the platform sets some of them.
    condition     = length(var.tags) <= 40 && alltrue([for key, value in var.tags : length(key) >= 1 && length(key) <= 128 && length(coalesce(value, "-")) <= 256 && !can(regex("[<>%&?/\\\\]", key))])
    error_message = "At most 40 tags are allowed, with keys of up to 128 and values of up to 256 characters. Keys must not contain <, >, %, &, ?, / or \\."
  }
  validation {
    condition     = alltrue([for key in keys(var.tags) : !can(regex("^(cloudwright:|microsoft|azure|windows)", lower(key)))])
    error_message = "Tag keys must not start with cloudwright:, microsoft, azure or windows, which are reserved."
  }
}
