// The smallest ingress that Knative Serving takes (networking.internal.knative.dev): it says of every Ingress of its
// class that it is ready, and hands requests on by their Host header. External on :8080, cluster-local on :8081.
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"knative.dev/networking/pkg/apis/networking"
	"knative.dev/networking/pkg/apis/networking/v1alpha1"
	"knative.dev/networking/pkg/client/clientset/versioned"
)

type table map[string][]v1alpha1.HTTPIngressPath // host -> paths

var ext, loc atomic.Pointer[table]

func main() {
	class, me := os.Getenv("INGRESS_CLASS"), os.Getenv("INGRESS_DOMAIN")
	cfg, err := rest.InClusterConfig()
	if err != nil {
		log.Fatal(err)
	}
	c := versioned.NewForConfigOrDie(cfg)
	ext.Store(&table{})
	loc.Store(&table{})
	go func() { log.Fatal(http.ListenAndServe(":8080", handler(&ext))) }()
	go func() { log.Fatal(http.ListenAndServe(":8081", handler(&loc))) }()
	ctx := context.Background()
	for ; ; time.Sleep(time.Second) {
		if err := sync(ctx, c, class, me); err != nil {
			log.Print(err)
			continue
		}
		w, err := c.NetworkingV1alpha1().Ingresses("").Watch(ctx, metav1.ListOptions{})
		if err != nil {
			log.Print(err)
			continue
		}
		for range w.ResultChan() {
			if err := sync(ctx, c, class, me); err != nil {
				log.Print(err)
			}
		}
	}
}

func sync(ctx context.Context, c versioned.Interface, class, me string) error {
	l, err := c.NetworkingV1alpha1().Ingresses("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	e, i := table{}, table{}
	for k := range l.Items {
		ing := &l.Items[k]
		if ing.Annotations[networking.IngressClassAnnotationKey] != class || ing.DeletionTimestamp != nil {
			continue
		}
		for _, r := range ing.Spec.Rules {
			for _, h := range r.Hosts {
				i[h] = r.HTTP.Paths
				if r.Visibility != v1alpha1.IngressVisibilityClusterLocal {
					e[h] = r.HTTP.Paths
				}
			}
		}
	}
	ext.Store(&e)
	loc.Store(&i)
	for k := range l.Items {
		ing := &l.Items[k]
		if ing.Annotations[networking.IngressClassAnnotationKey] != class || ing.DeletionTimestamp != nil {
			continue
		}
		if ing.IsReady() && ing.Status.ObservedGeneration == ing.Generation {
			continue
		}
		ing.Status.InitializeConditions()
		ing.Status.MarkNetworkConfigured()
		lb := []v1alpha1.LoadBalancerIngressStatus{{DomainInternal: me}}
		ing.Status.MarkLoadBalancerReady(lb, lb)
		ing.Status.ObservedGeneration = ing.Generation
		if _, err := c.NetworkingV1alpha1().Ingresses(ing.Namespace).UpdateStatus(ctx, ing, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

var tr = &http.Transport{DisableKeepAlives: true}

func handler(t *atomic.Pointer[table]) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := strings.Cut(r.Host, ":")
		paths, ok := (*t.Load())[host]
		if !ok {
			http.Error(w, "no ingress rule for "+host, 404)
			return
		}
		var p *v1alpha1.HTTPIngressPath
		for k := range paths { // header matches (tag routing) first, then the longest path prefix
			q := &paths[k]
			match := strings.HasPrefix(r.URL.Path, q.Path)
			for h, m := range q.Headers {
				match = match && r.Header.Get(h) == m.Exact
			}
			if match && (p == nil || len(q.Headers) > len(p.Headers) || len(q.Headers) == len(p.Headers) && len(q.Path) > len(p.Path)) {
				p = q
			}
		}
		if p == nil {
			http.Error(w, "no path", 404)
			return
		}
		n, s := rand.Intn(100), &p.Splits[0]
		for k := range p.Splits {
			s = &p.Splits[k]
			if n -= s.Percent; n < 0 {
				break
			}
		}
		u := &url.URL{Scheme: "http", Host: fmt.Sprintf("%s.%s.svc.cluster.local:%s", s.ServiceName, s.ServiceNamespace, s.ServicePort.String())}
		rp := &httputil.ReverseProxy{Transport: tr, FlushInterval: -1, Rewrite: func(pr *httputil.ProxyRequest) {
			pr.SetURL(u)
			pr.Out.Host = r.Host
			pr.SetXForwarded()
			if p.RewriteHost != "" {
				pr.Out.Host = p.RewriteHost
			}
			for _, m := range []map[string]string{p.AppendHeaders, s.AppendHeaders} {
				for k, v := range m {
					pr.Out.Header.Set(k, v)
				}
			}
		}}
		rp.ServeHTTP(w, r)
	})
}
