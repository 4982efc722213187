import java.net.InetAddress;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** What programs in Java do: Client URL... prints what is there, by each of its two clients, in one JVM, which keeps addresses. */
public class Client {
        public static void main(String[] urls) throws Exception {
                HttpClient client = HttpClient.newHttpClient();

                for (String url : urls) {
                        try (var in = new URL(url).openStream()) {
                                System.out.print(new String(in.readAllBytes()));
                        }
                        var request = HttpRequest.newBuilder(URI.create(url)).build();
                        System.out.print(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
                }
        }
}
