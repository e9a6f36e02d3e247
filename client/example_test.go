package client_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"kumiki.dev/client"
)

// A deployment is given another bundle, and followed until it is so.
func Example() {
	deploy := func(ctx context.Context, bundle []byte) error {
		c, err := client.New(client.Server{URL: "https://kumiki.example.com:7676", Token: os.Getenv("KUMIKI_TOKEN")})
		if err != nil {
			return err
		}
		now, err := c.Deployment(ctx, "shop")
		if err != nil {
			return err
		}
		digest, err := c.Upload(ctx, bundle)
		if err != nil {
			return err
		}
		begun, err := c.Put(ctx, "shop", now.Revision, client.Wanted{Input: client.Input{Bundle: digest}}, client.Write{})
		if err != nil {
			return err // with status 412 if somebody else was first
		}
		ended, err := c.Follow(ctx, begun.Operation.ID, func(o client.Operation) { fmt.Println(o.Phase, len(o.Steps)) }, nil)
		if err == nil && ended.Error != nil {
			err = errors.New(ended.Error.Message)
		}
		return err
	}
	_ = deploy
}
