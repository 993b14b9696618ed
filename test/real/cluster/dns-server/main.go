// CoreDNS with the plugins that its configuration names and no other: all of them together
// bring the clients of four clouds and take three times as long to build.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"

	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/ready"
	_ "github.com/coredns/coredns/plugin/reload"
)

// In the order in which a question goes through them.
var plugins = []string{"reload", "ready", "errors", "cache", "kubernetes"}

func main() {
	if err := dnsserver.SetDirectives(plugins); err != nil {
		panic(err)
	}
	coremain.Run()
}
