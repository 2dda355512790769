// The peer of the lab's /db: net/http and the official driver. It prints the port it listens on.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

type document struct {
	ID   int    `bson:"_id" json:"_id"`
	Text string `bson:"text" json:"text"`
}

func main() {
	poolSize, err := strconv.ParseUint(os.Args[2], 10, 64)
	check(err)
	count, err := strconv.Atoi(os.Args[3])
	check(err)
	client, err := mongo.Connect(options.Client().ApplyURI(os.Args[1]).SetMaxPoolSize(poolSize))
	check(err)
	documents := client.Database(os.Args[4]).Collection(os.Args[5])
	http.HandleFunc("/db", func(w http.ResponseWriter, r *http.Request) {
		id := rand.IntN(count)
		var found document
		if err := documents.FindOne(r.Context(), bson.D{{Key: "_id", Value: id}}).Decode(&found); err != nil || found.ID != id {
			http.Error(w, fmt.Sprintf("looked up document %d: %v", id, err), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		json.NewEncoder(w).Encode(found)
	})
	check(client.Ping(context.Background(), nil))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	check(http.Serve(listener, nil))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
